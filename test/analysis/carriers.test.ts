import { describe, expect, test } from "vitest";
import { CARRIERS, carriedBy, unseenBy } from "../../src/analysis/carriers.ts";
import { argvOf } from "./table-machine.ts";

/** One command per line, words separated by single blanks; `_` inside a word stands for a blank. */
function commands(lines: string): readonly (readonly [string])[] {
  return lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => [line] as const);
}
const carried = (line: string): string | null => carriedBy(argvOf(...line.split(" ").map((word) => word.replaceAll("_", " "))));

describe("what an entry for the program alone does not cover", () => {
  test.each(
    commands(`
      xargs rm
      /usr/bin/XARGS rm
      parallel echo
      watch -n1 ls
      ssh -oProxyCommand=x host
      vim -c :!id
      vim.basic x
      less x
      man ls
      ed -s x
      expect -c x
      /lib64/ld-linux-x86-64.so.2 /bin/ls
      ld-musl-x86_64.so.1 ./x
      ld.so --preload x ls
      strace ls
      gdb -ex !id
      flock l ls
      mysql -e x
      sqlite3 :memory: .shell_id
      make
      make test
      gmake -C x
      cmake --build .
      cargo build
      cargo evil
      go run x.go
      pytest
      npx cowsay
      npm run build
      npm install
      npm --prefix x ls
      yarn build
      pip install x
      pip3.11 install x
      docker run -it x
      docker -H tcp://x ps
      docker container exec x sh
      docker compose up -d
      docker compose -f x.yml ps
      kubectl exec x -- sh
      kubectl evil
      terraform apply
      java -jar x.jar
      eslint .
      prettier --write .
      jest
      command rm x
      chronic rm x
      hyperfine ls
      ldd ./x
      qemu-arm ./x
      msgfilter sh
      ssh-copy-id -o ProxyCommand=x h
      lynx x
      ug x
      nginx -c x
      gs -c x
      javac X.java
      autoreconf -i
      sed p file -e 1e_id
      sed -n p x --expression=w_y
      tclsh --version
      python3 -v
      wish -h
      node inspect x.js
      ruby -C /x y.rb
      perl -S x
      bun --cwd /x ./y.ts
      R CMD BATCH x
      guile -c x
      expect -f x
      zip -rT x.zip y
      tar cf host:/x y
      tar --file=host:x -c y
      ssh-keygen -w ./x.so
      ssh-add -S ./x.so
      rclone lsd :sftp,ssh=x:y
      rclone ls x: --password-command id
      restic -o sftp.command=x ls
      borg list --rsh x
      yt-dlp --exec id x
      curl --unix-socket /var/run/docker.sock http://x
      wget -O x http://y
      nmap -script=x h
      openssl req -config x
      ip netn exec x id
      ip -b x
      clang --config x y.c
      gcc -Wl,--plugin=x y.c
      rustc -C linker=x y.rs
      pandoc -t x.lua y
      exiftool -IF x y
      exiftool -@ x
      rpm -E x
      rpm -q --define x
      apt list -o Dir::Bin=x
      dnf list --setopt=pluginpath=x
      brew info ./x.rb
      systemctl status -H x
      coredumpctl debug
      npm audit fix
      npm view x --git=./y
      npm help x
      pip list --python x
      cargo metadata
      go env -w GOFLAGS=x
      gh issue develop 1 --checkout
      convert |id x.png
      protoc --plugin=x y
      bison -S ./x y
      crontab x
      find . -exec id ;
      find . -name x -execdir id ;
      find . -ok id ;
      find . -fprintf x y
      find . -fls x
      find . -delete
      fd -x rm
      fd -e ts -X rm
      fdfind --exec-batch rm
      rg --pre cat x
      rg --pre=cat x
      sort --compress-program=sh x
      sort --compress-prog sh
      sort --comp=sh
      sort -o x y
      split --filter=sh x
      tar cf x --checkpoint=1 --checkpoint-action=exec=id
      tar -cf x --checkpoint-act=exec=id y
      tar xf x --to-command=id
      tar --to-com=id -xf x
      tar -I_sh -cf x y
      tar cfI x sh y
      tar -cIf sh x y
      tar --use-compress-program=sh -cf x y
      tar -cf x -F sh y
      zip x y -T -TT id
      zip -TTid x y
      zip --unzip-command id x y
      rsync -e sh a b:
      rsync -avze sh a b:
      rsync --rsh=sh a b:
      rsync --rsync-path=x a b:
      scp -S x a b:
      scp -oProxyCommand=x a b:
      curl -K x
      curl -sK x
      curl --config x
      curl -o x http://y
      wget --use-askpass=x http://y
      wget -e use_askpass=x http://y
      nc -e sh x 1
      nc -lvpe sh 1
      tcpdump -z x -w y
      nmap --script=x y
      openssl dgst -engine x
      ip netns exec x id
      gcc -wrapper sh,-c x.c
      gcc -fplugin=x.so y.c
      gcc @args
      clang-15 -Xclang -load -Xclang x.so
      g++-12 -B. x.cc
      git -c core.pager=x log
      git -C /tmp/evil status
      git --git-dir=x status
      git --exec-path=/tmp evil
      git evil
      git commit -m x
      git checkout main
      git pull
      git push
      git fetch
      git clone ext::sh_-c_id
      git ls-remote --upload-pack=x y
      git log --ext-diff
      git diff --ext
      git grep -O x
      git grep --open-files-in-pager=sh x
      git archive --remote=x --exec=id
      git config core.pager x
      git config --global alias.x !id
      git bisect run id
      git rebase -x id main
      git submodule foreach id
      git difftool -x id
      git -p log
      git branch x ext::sh
      sed s/x/y/e f
      sed -n w_out f
      sed 1e_id f
      sed -e s/a/b/ -e s/x/y/w_out f
      sed --expression=s/x/y/e f
      sed -f x.sed f
      sed s/a/b/gw_out f
      awk {print}
      gawk -f x
      python3 -c x
      python3 -Ic x
      python3.11 -m http.server
      python3
      python3 -
      node -e 1
      node --eval=1
      node20 --require ./x y.js
      node x.js
      perl -ne print
      perl -lane print
      perl -e 1
      ruby -rjson -e 1
      php -r x
      deno eval x
      bash -c ls
      bash x.sh
      bash
      bash -s
      csh -c x
      pwsh -Command x
      cmd.exe /c dir
      powershell -enc x
      tclsh x.tcl
      eslint -c x.js .
      jest --config x
      systemctl start x
      systemctl edit x
      apt-get install x
      apt-get -o APT::Update::Pre-Invoke::=id update
      dpkg -i x.deb
      gh alias set x y
      gh pr checkout 1
      exiftool -if x y
      pandoc --lua-filter x y
      rename s/a/b/ x
      socat - EXEC:sh
      openssl engine x
      rpm --eval x
      rpm -ivh x
      i686-linux-gnu-gcc-12 -wrapper x y.c
      aarch64-linux-gnu-nm --plugin=x y
      perl5.36-aarch64-linux-gnu -e 1
      bash-static -c ls
      python3.11-dbg -c 1
      valgrind.bin ls
      .git-wrapped commit
      not-14 ls
      opt-14 -load ./x.so y
      gcc -Wl,-z,now,-plugin,x y.c
      ld -plug x
      nm @x
      javap -J-agentpath:x y
      keytool -PROVIDERPATH x
      prove t
      erb3.1 x
      pygmentize -x -l x.py y
      openssl rand --engine x 1
      openssl list --provider-path x
      openssl fipsinstall -module x
      gpgtar --gpg x
      gpg-agent --daemon ls
      apt-mark -o Dir::Bin::dpkg=x hold y
      dpkg --status-logger=x -C
      dpkg-architecture -cls
      groff -F x -Ty z
      pic -U x
      diff3 --di=x a b c
      sdiff --diff-program x a b
      rpcgen -Yx y
      service ../../tmp/x start
      xdg-user-dir };id
      ssh-argv0 -oProxyCommand=x
      cpack --config x
      corepack yarn
      curl -vo x y
      curl --remote-name-all y
      curl -w %output{x}y z
      wget --rejected-log=x y
      fd -gx rm
      ssh-keygen -qD x.so
      tar -cfu@[::1]:x y
      git log --output=x
      git diff --outp x
      git archive -o x HEAD
      git remote -v update
      git remote -v $ update
      gem list --config-file x
      hg status
      sox |id x.wav
      mpirun ls
      coverage report
    `),
  )("%s", (line) => {
    expect(carried(line)).not.toBeNull();
  });
});

describe("what a program does by itself is covered by its entry", () => {
  test.each(
    commands(`
      ls -la
      cat x
      cp a b
      tee x
      dd if=a of=b
      git status
      git status --short
      git log --oneline -n 5
      git --no-pager log -p
      git diff --stat HEAD~1
      git diff --text
      git show HEAD
      git add -A
      git branch --remotes
      git remote -v
      git remote
      git remote get-url origin
      git config --get user.name
      git stash list
      git grep -n -i -e x
      git blame x
      git --version
      find . -name *.ts
      find . -type f -newer x
      rg -n TODO src
      rg --pre-glob *.gz x
      rg --pretty x
      rg -e --x y
      fd -e ts
      fd -tx
      sort -u x
      sort -k2 -t: x
      tar -xzf x.tar.gz -C y
      tar czf x.tar.gz y
      tar tf x
      tar --checkpoint=10 -cf x y
      zip -r x y
      rsync -av a b
      curl -sSfL https://x
      curl -X POST -d a=b https://x
      wget -q https://x
      sed -n 1,5p x
      sed s/a/b/g x
      sed -E s|a|b| x
      sed -i s/a/b/ x
      sed $!d x
      sed /x/d;s/a/b/ x
      docker ps -a
      docker logs x
      kubectl get pods -o yaml
      npm ls
      npm view x
      pip list
      cargo --version
      go version
      gh pr list
      gh issue view 1
      gh api repos/x
      systemctl status x
      python3 --version
      node -v
      jq .x
      make-believe x
      gcc -O2 -o x x.c
      base64 -d x
      sha256sum x
      terraform fmt
      docker compose logs --tail=100 api
      ip -br addr
      npm audit
      ruff check .
      gcc -Wl,-rpath,/x x.c
      sed --version
      perl -v
      wget https://x
      tar xzf a.tgz -C out
      apt list --installed
      go env GOPATH
      systemctl status x
      node -h
      kubectl logs x
      uniq -c
      nodejs-is-something-else x
      curl -vsS https://x
      jar tf x.jar
      jdeps -jdkinternals x.jar
      keytool -list
      openssl dgst -sha256 x
      objdump -d x
      gcc -Wl,--as-needed x.c
      groff -man -Tutf8 x
      diff3 -m a b c
      patch -p1 -i x
      git diff --output-indicator-new=x
      dpkg -l
      apt-mark showhold
      fd -g *.ts
      linux-gnu-something x
    `),
  )("%s", (line) => {
    expect(carried(line)).toBeNull();
  });
});

test("every row says where it was learnt, and every name is written the way names are looked up", () => {
  for (const row of CARRIERS) {
    expect(row.source.length).toBeGreaterThan(3);
    expect(row.names).toMatch(/^[a-z0-9+._-]+(?: [a-z0-9+._-]+)*$/);
  }
});

test("names with an underline in them", () => {
  expect(carriedBy(argvOf("x86_64-linux-gnu-gcc-12", "-wrapper", "x", "y.c"))).not.toBeNull();
  expect(carriedBy(argvOf("perl5.36-x86_64-linux-gnu", "-e", "1"))).not.toBeNull();
  expect(carriedBy(argvOf("json_pp", "-f", "eval"))).not.toBeNull();
  expect(carriedBy(argvOf("json_pp", "-json_opt", "pretty"))).toBeNull();
});

test("what nothing binds is said", () => {
  expect(unseenBy(argvOf("git", "commit"))).toContain("git commit");
  expect(unseenBy(argvOf("node", "-e", "require('./x')"))).toContain("program text");
  expect(unseenBy(argvOf("ls"))).toBeNull();
});
