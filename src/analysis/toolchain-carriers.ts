import type { Carrier } from "./carrier.ts";

/** Compilers, linkers, debuggers' relatives and the tools of language run-times: what they load or start stands in their options. */
const RUNS = "runs the program it is given";

export const TOOLCHAIN_CARRIERS: readonly Carrier[] = [
  {
    names:
      "gcc g++ cc c++ cpp clang clang++ clang-cl clang-cpp flang gfortran tcc icc icx icpx pgcc c89 c99 c89-gcc c99-gcc f77 gdc gccgo dmd ldc2 ldmd2 swiftc",
    begins:
      "-wrapper -fplugin -specs --specs -B -Xclang -Xanalyzer -Xfrontend -Xcc -cc1 -ccc- -load --load -plugin --plugin -fuse-ld -use-ld -ccbin -T -run --run " +
      "-fpass-plugin -mllvm --config --ld-path -ld-path --gcc-toolchain --gcc-install-dir -Xlinker -tools-directory -external-plugin-path -gcc= --gcc=",
    // A file of options, and options for the linker that make it load a plug-in.
    operand: /^@|^-Wl,(?:.*,)?(?:--?pl|@|--?dlopen)/,
    source: "GTFOBins gcc, c89, c99; clang(1); dmd and tcc -run; swiftc -help",
  },
  {
    names: "nvcc hipcc icpc rdmd gnatmake gprbuild gprinstall fpc cl",
    any: "starts the compiler that its options or project name",
    source: "each one's manual",
  },
  {
    names: "rustc rustdoc clippy-driver miri",
    short: "CLZ",
    long: "codegen extern sysroot test test-runtool runtool test-builder",
    source: "rustc --help: -C linker, procedural macros; rustdoc --test",
  },
  {
    names:
      "ar nm ranlib objdump objcopy strip size gcc-ar gcc-nm gcc-ranlib llvm-ar llvm-nm llvm-ranlib gold ld ld.gold ld.bfd ld.lld lld mold ld.mold wild",
    long: "plugin",
    // getopt_long_only(3): one dash will do.
    begins: "-pl -load --load",
    operand: /^@/,
    source: "nm(1) --plugin; binutils: @FILE holds further options",
  },
  {
    names:
      "opt llc llvm-lto llvm-lto2 llvm-link llvm-split llvm-extract llvm-dis llvm-as llvm-mca llvm-stress llvm-c-test llvm-xray sanstats " +
      "verify-uselistorder lto-dump clang-tidy clang-check clang-query clang-refactor clangd mlir-opt",
    begins: "-load --load -fplugin -query-driver --query-driver -vfsoverlay --extra-arg -extra-arg",
    source: "opt(1) -load, -load-pass-plugin; clangd --query-driver",
  },
  {
    names: "llvm-cov llvm-profdata llvm-profgen",
    begins: "-Xdemangler --Xdemangler -demangler --demangler",
    source: "llvm-cov(1) -Xdemangler",
  },
  {
    names: "windres llvm-windres llvm-rc dlltool llvm-dlltool",
    short: "S",
    long: "preprocessor as",
    source: "windres(1) --preprocessor; dlltool(1) -S",
  },
  {
    names: "lli bugpoint llvm-reduce llvm-jitlink llvm-jitlink-executor llvm-rtdyld llvm-exegesis not mlir-runner mlir-cpu-runner",
    any: RUNS,
    source: "LLVM command guide",
  },
  {
    names:
      "memusage mtrace sotruss ltrace heaptrack gprofng gp-collect-app gdbtui cuda-gdb gdb-add-index trace-cmd stap sysdig csysdig nsys ncu nvprof compute-sanitizer vtune likwid-perfctr apitrace renderdoccmd",
    any: "starts the program that it watches",
    source: "each one's manual page",
  },
  { names: "gp-display-text", begins: "-script", source: "gp-display-text(1)" },
  {
    names: "scan-build bear intercept-build compiledb checkinstall buildwrapper codechecker",
    any: "starts the build that it watches",
    source: "each one's manual page",
  },
  { names: "cppcheck", long: "addon addon-python rule-file", source: "cppcheck(1) --addon" },
  { names: "rpcgen", short: "Y", source: "rpcgen(1) -Y: where the preprocessor lies" },
  { names: "pkgdata", short: "O", long: "bldopt", source: "pkgdata(1): the options file names commands" },
  { names: "zig", safe: "version env targets fmt ast-check zen", source: "zig --help: run, test, build, cc" },
  {
    names: "dune esy ocamlfind ocamlbuild rebar3 gleam spago",
    any: "runs what the project's own files say",
    source: "each tool's documentation",
  },
  {
    // Every launcher of the JDK hands `-J…` to its virtual machine; keytool reads its options without regard to case.
    names:
      "jar jarsigner keytool javap jdeps jdeprscan jfr jimage jinfo jlink jmap jmod jps jstack jstat serialver jwebserver native2ascii wsgen wsimport xjc schemagen",
    begins: "-J --plugin-module-path",
    operand: /^-(?:provider|addprovider|altsign|conf)/i,
    source: "javap(1) -J; keytool(1) -providerpath; jlink(1)",
  },
  {
    names: "jcmd jattach jconsole jhsdb jpackage jstatd rmiregistry rmid jbang amm scala-cli jruby-jars mvndebug mvnyjp",
    any: "loads code by name, or into a running program",
    source: "jcmd(1) JVMTI.agent_load; jpackage(1)",
  },
  {
    names: "prove plackup starman hypnotoad morbo dzil minil carton perlthanks pod2usage",
    any: "loads and runs Perl code",
    source: "prove(1); pod2usage(1) -formatter",
  },
  { names: "json_pp", operand: /eval/i, source: "json_pp(1): `-f eval` takes Perl" },
  {
    names: "erb erubi rdbg byebug rspec cucumber guard cap kitchen brakeman solargraph yard yardoc nanoc middleman sidekiq thor steep",
    any: "loads and runs Ruby code",
    source: "erb(1); each tool's documentation",
  },
  { names: "rbs", words: "test runtime", source: "rbs(1)" },
  { names: "pygmentize", short: "x", skips: "lfOPFoSL", source: "pygmentize(1) -x: lexers from a file" },
  {
    names:
      "coverage pyright bandit pyinstaller nuitka cython cythonize maturin flit twine pyproject-build cookiecutter copier alembic scrapy twistd buildout pdoc " +
      "nbconvert dvc snakemake nextflow luigi dagster meltano great_expectations sqlfluff watchmedo mitmproxy mitmdump mitmweb scapy trial nose2 nosetests doit paver",
    any: "loads Python code that the project's own files name",
    source: "each tool's documentation",
  },
  {
    names: "phpunit pest phpstan psalm artisan drush wp symfony php-cs-fixer rector phpcs phpcbf behat codecept phar",
    any: "loads PHP code that the project's own files name",
    source: "each tool's documentation; phar pack -b",
  },
];
