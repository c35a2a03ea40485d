import { describe, expect, test } from "vitest";
import { isForbiddenName, judgeOverrides, passedFrom } from "../../src/policy/env-overrides.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../src/policy/exec-settings.ts";

/** One or more of every class; the vectors hold more. */
const FORBIDDEN = `
  PATH path Ld_Preload LD_AUDIT DYLD_FRAMEWORK_PATH BASH_FUNC_x GIT_CONFIG_KEY_0 NPM_CONFIG_prefix npm_config_script_shell CARGO_REGISTRIES_A_INDEX
  TF_VAR_x IFS ENV BASH_ENV KSH_ENV SHELL SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND CDPATH FPATH ZDOTDIR HOME EDITOR VISUAL PAGER MANPAGER
  GIT_PAGER BROWSER LESSOPEN LESSCLOSE NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONBREAKPOINT PERL5LIB PERL5OPT PERL5DB
  RUBYLIB RUBYOPT LUA_INIT LUA_PATH LUA_INIT_5_4 JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH GCONV_PATH GLIBC_TUNABLES GIT_SSH
  GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_EXEC_PATH GIT_DIR GIT_WORK_TREE GIT_ASKPASS GIT_PROXY_COMMAND GIT_TRACE SSH_ASKPASS SUDO_ASKPASS CC CXX
  MAKEFLAGS MAKE MAKEFILES RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTFLAGS GOFLAGS GOPROXY GOTOOLCHAIN CGO_CFLAGS CFLAGS LDFLAGS
  http_proxy HTTPS_PROXY all_proxy NO_PROXY FTP_PROXY npm_config_https_proxy CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS
  REQUESTS_CA_BUNDLE GIT_SSL_CAINFO AWS_CA_BUNDLE NODE_TLS_REJECT_UNAUTHORIZED SSLKEYLOGFILE PIP_INDEX_URL UV_INDEX_URL YARN_REGISTRY
  AWS_SECRET_ACCESS_KEY GITHUB_TOKEN FOO_API_KEY DB_PASSWORD MY_SECRET GOOGLE_APPLICATION_CREDENTIALS VAULT_ADDR PGPASSWORD PGHOST SSH_AUTH_SOCK
  GPG_AGENT_INFO GNUPGHOME DOCKER_HOST DOCKER_CONFIG KUBECONFIG DATABASE_URL REDIS_URL OPENAI_BASE_URL S3_ENDPOINT SENTRY_DSN GIT_EDITOR
  KUBE_EDITOR HGEDITOR GIT_TEMPLATE_DIR HISTFILE LESSHISTFILE PYTHON_HISTORY VIMINIT EXINIT INPUTRC MAVEN_OPTS GRADLE_OPTS SBT_OPTS
  DOTNET_STARTUP_HOOKS CORECLR_PROFILER COMPlus_x CMAKE_TOOLCHAIN_FILE JAVA_HOME CARGO_HOME RUSTUP_HOME PNPM_HOME XDG_CONFIG_HOME HOSTALIASES
  LOCPATH TERMINFO TERMCAP POSIXLY_CORRECT GREP_OPTIONS TAR_OPTIONS AWKPATH RIPGREP_CONFIG_PATH FZF_DEFAULT_COMMAND DEBUGINFOD_URLS QT_PLUGIN_PATH
  COUNTERSIGN_RUN COUNTERSIGN_STATE_DIR OPENCLAW_STATE_DIR BORG_RSH RESTIC_PASSWORD_COMMAND PYTEST_ADDOPTS MPLBACKEND DJANGO_SETTINGS_MODULE
  FLASK_APP GUNICORN_CMD_ARGS VK_LAYER_PATH __EGL_VENDOR_LIBRARY_FILENAMES SDL_DYNAMIC_API shell_escape PUPPETEER_EXECUTABLE_PATH CHROME_BIN PYENV_ROOT
`;

const HARMLESS = `FOO LANG LC_ALL TERM COLORTERM NO_COLOR FORCE_COLOR TZ CI USER LOGNAME NODE_ENV DEBUG VERBOSE PORT COLUMNS LINES GOOD_KEY _X1 RUST_LOG
  RUST_BACKTRACE PYTHONUNBUFFERED GIT_AUTHOR_NAME GIT_TERMINAL_PROMPT BUILD_NUMBER RELEASE FEATURE_X SOURCE_DATE_EPOCH LOG_LEVEL RAILS_ENV APP_ENV
  MAX_RETRIES TEST_FILTER BASE_DIR OUTPUT_DIR`;

const words = (text: string) => text.trim().split(/\s+/);

test.each(words(FORBIDDEN))("%s is refused always", (name) => {
  expect(isForbiddenName(name)).toBe(true);
});

test.each(words(HARMLESS))("%s is not", (name) => {
  expect(isForbiddenName(name)).toBe(false);
});

describe("overrides", () => {
  const judge = (overrides: Record<string, string>) => judgeOverrides(overrides, EXEC_SETTINGS_DEFAULT);
  test("that are malformed are told before those that are forbidden", () => {
    const judged = judge({ "A-B": "x", PATH: "/tmp" });
    expect(judged.ok ? null : [judged.failure.code, judged.failure.details["names"]]).toEqual(["env.invalid", ["A-B"]]);
    expect(judge({ A: "x\0" }).ok).toBe(false);
    expect(judge({ "": "x" }).ok).toBe(false);
  });

  test("that are forbidden are named and their values are not", () => {
    const judged = judge({ LD_PRELOAD: "/tmp/secret.so", FOO: "1" });
    expect(judged.ok ? null : judged.failure.code).toBe("env.forbidden");
    expect(JSON.stringify(judged)).not.toContain("secret");
  });

  test.each([
    ["LANG", "de_DE.UTF-8", "free"],
    ["LANG", "C", "free"],
    ["LANG", "zh_CN.GBK", "missed"],
    ["LC_ALL", "/tmp/x.UTF-8", "missed"],
    ["LC_ALL", "POSIX", "free"],
    ["TZ", "Europe/Berlin", "free"],
    ["TZ", ":/etc/shadow", "missed"],
    ["TZ", "../../x", "missed"],
    ["TERM", "xterm-256color", "free"],
    ["TERM", "/tmp/x", "missed"],
    ["CI", "1", "free"],
    ["lang", "C", "missed"],
    ["FOO", "1", "missed"],
  ] as const)("%s=%s is %s", (name, value, outcome) => {
    const judged = judge({ [name]: value });
    expect(judged.ok && judged.value[outcome]).toEqual([name]);
  });

  test("a forbidden name is refused even where the settings list it", () => {
    expect(judgeOverrides({ LD_PRELOAD: "x" }, { envAllowOverride: ["LD_PRELOAD", "*"] }).ok).toBe(false);
  });
});

test("of the daemon's own environment only what is named passes, and a forbidden name never", () => {
  const base = { FOO: "1", BAR: "2", LD_PRELOAD: "x", HTTP_PROXY: "p", N: 1, "A-B": "x" };
  expect([...passedFrom(base, [])]).toEqual([]);
  expect([...passedFrom(base, ["FOO", "LD_PRELOAD", "HTTP_PROXY", "N", "A-B"])]).toEqual([["FOO", "1"]]);
  expect([...passedFrom(base, ["*"]).keys()]).toEqual(["FOO", "BAR"]);
});
