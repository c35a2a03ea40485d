/**
 * Every bound in the program, unit last in the name. A bound that is not here does not exist; a bound without a test that reaches it is a
 * guess. Grouped by the layer that holds it.
 */

// wire: one line carries one argv and one environment. With default limits execve takes about 2 MiB of both, so 1 MiB is not the tight one.
export const LINE_BYTES_MAX = 1024 * 1024;
export const NESTING_DEPTH_MAX = 64;
export const ARGV_WORDS_MAX = 4096;
export const SESSION_KEY_BYTES_MAX = 512;
export const REQUEST_KEY_CHARS_MAX = 128;
export const STDIN_TEXT_BYTES_MAX = 128 * 1024;
export const STDIN_BASE64_BYTES_MAX = 512 * 1024;
// Linux takes no longer word, MAX_ARG_STRLEN of execve(2), the final NUL included.
export const ARGV_WORD_BYTES_MAX = 128 * 1024 - 1;
// PATH_MAX, the final NUL included.
export const PATH_BYTES_MAX = 4095;
export const SHOWN_TEXT_CHARS_MAX = 512;
export const WIRE_NAME_BYTES_MAX = 512;
export const REASON_BYTES_MAX = 2048;
export const APPROVAL_TOKEN_BYTES_MAX = 8192;
export const REQUEST_ID_CHARS_MAX = 128;
export const NONCE_BYTES_MIN = 16;
export const WHICH_NAMES_MAX = 256;
export const PATCH_ENTRIES_MAX = 4096;
export const GRANT_USES_MAX = 1_000_000;
export const SUBAGENT_DEPTH_MAX = 64;
// setTimeout takes a signed 32-bit number and fires at once beyond it.
export const TIMER_MS_MAX = 2 ** 31 - 1;
export const PAGE_ITEMS_MAX = 500;
export const PAGE_ITEMS_DEFAULT = 100;
export const PAGE_BYTES_MAX = 256 * 1024;

// connections
export const CONNECTIONS_MAX = 512;
export const CONNECTIONS_KEPT_FOR_OPERATORS = 16;
export const UNAUTHENTICATED_MAX = 64;
export const AUTHENTICATE_WITHIN_MS = 15_000;
export const CALLS_PER_CONNECTION_MAX = 256;
export const AUTH_FAILURE_DELAY_MS = 250;
export const AUTH_FAILURES_PER_DELAY_PER_UID_MAX = 16;
// sun_path is 108 bytes, unix(7), and 104 on macOS, the final NUL included.
export const SOCKET_PATH_BYTES_MAX = 107;
export const SOCKET_PATH_BYTES_MAX_MACOS = 103;
export const HANGUP_POLL_MS = 200;
// Lines of one connection that are taken in one turn of the loop, so that a flood on one leaves room for the others.
export const LINES_PER_TURN_MAX = 64;
// From here on a connection is not read any more until its peer has read; the bound itself ends it.
export const OUTGOING_PAUSE_BYTES = 256 * 1024;
export const OUTGOING_BYTES_MAX = 4 * 1024 * 1024;
export const OUTGOING_BYTES_TOTAL_MAX = 32 * 1024 * 1024;
export const OUTGOING_STALL_MS = 600_000;
// Lines that have begun and not ended are kept for their peers, all of them together up to the total. A connection whose line is still short
// is neither counted at every chunk nor ever the one to go: as many as there may be, they stay below the total.
export const INCOMING_LONG_BYTES = 64 * 1024;
export const INCOMING_BYTES_TOTAL_MAX = 32 * 1024 * 1024;
// After the last word the peer may finish its sentence, so that it does not lose ours to a reset.
export const CLOSING_LINGER_MS = 1_000;
export const CLOSING_MAX = 64;

// openclaw's dialect: how far a frame's clock may be from ours, and how many frames of that span are remembered so that none is taken twice.
export const OPENCLAW_CLOCK_MS = 10_000;
export const OPENCLAW_NONCES_MAX = 16_384;
export const OPENCLAW_NONCE_CHARS_MAX = 256;

// analysis
export const COMMAND_TEXT_BYTES_MAX = 16 * 1024;
export const SEGMENTS_MAX = 64;
export const WRAPPER_DEPTH_MAX = 4;

// policy: beyond this many, links in patterns' directories are looked at again only when the document changes.
export const LINKS_CHECKED_MAX = 64;
export const ENTRY_UNUSED_DAYS_MAX = 90;

// settings
export const SETTINGS_BYTES_MAX = 1024 * 1024;
export const SETTINGS_PROBLEMS_MAX = 100;
export const POLICY_WARNINGS_MAX = 256;
export const SPAWN_DEPTH_MAX = 64;
/** Without a word from the operator a subagent spawns no other. */
export const SPAWN_DEPTH_DEFAULT = 1;
export const READ_SIZE_DEFAULT_BYTES = 10 * 1024 * 1024;
export const FETCH_SIZE_DEFAULT_BYTES = 5 * 1024 * 1024;
// Each part of each path is looked at while everyone else waits, and an agent may have made the directories as deep as it likes.
export const PATHS_PER_CALL_MAX = 64;
export const PATH_PARTS_MAX = 256;
export const REDIRECTS_PER_CALL_MAX = 20;
// path_resolution(7): the kernel gives up with ELOOP after as many.
export const PATH_LINKS_FOLLOWED_MAX = 40;

// display
export const DISPLAY_BYTES_MAX = 64 * 1024;
// A key pressed this soon after a prompt appeared was meant for something else.
export const PROMPT_GUARD_MS = 500;
// More differences than these are harder to read than the file.
export const DIFF_EDITS_MAX = 500;
export const WATCH_RECENT_MAX = 50;
// How many identical requests are answered side by side; the connection takes far more.
export const ANSWERS_AT_ONCE_MAX = 32;
// Over a slow line an arrow key arrives in pieces; an escape that stays alone this long was the key itself.
export const ESCAPE_WAIT_MS = 60;
export const DESKTOP_NOTES_MAX = 8;

// approvals
export const APPROVALS_PENDING_MAX = 1000;
export const APPROVALS_PENDING_PER_CREDENTIAL_MAX = 256;
export const APPROVALS_PENDING_PER_AGENT_MAX = 64;
export const PROMPTS_PER_AGENT_PER_MINUTE_MAX = 30;
export const PROMPTS_COUNTED_FOR_MS = 60_000;
export const APPROVAL_TIMEOUT_DEFAULT_MS = 120_000;
export const APPROVAL_TIMEOUT_MIN_MS = 1_000;
export const APPROVAL_TIMEOUT_MAX_MS = 3_600_000;
export const APPROVAL_GRACE_MS = 15_000;
export const APPROVAL_PREFIX_CHARS_MIN = 8;
export const TOKEN_LIFETIME_MAX_MS = 24 * 3_600_000;
export const TOKEN_REPLAY_SLACK_MS = 60_000;
export const TOKEN_CLOCK_SLACK_MS = 60_000;

// exec
// MAXSYMLINKS of Linux, path_resolution(7).
export const LINKS_FOLLOWED_MAX = 40;
// BINPRM_BUF_SIZE of Linux: how much of a script's first line execve(2) looks at.
export const SHEBANG_BYTES_MAX = 256;
// A sealed copy costs memory until it is released, so each has a bound and all together have one.
export const SEALED_PROGRAM_BYTES_MAX = 64 * 1024 * 1024;
export const SEALED_BYTES_TOTAL_MAX = 512 * 1024 * 1024;
// Up to this size hashing takes less time than handing it to another thread and back.
export const HASH_INLINE_BYTES_MAX = 1024 * 1024;
export const HASH_QUEUE_FILES_MAX = 256;
export const HASH_CACHE_FILES_MAX = 1024;
// A file written to within one tick of its ctime keeps that ctime; two seconds are beyond any file system's tick.
export const HASH_CACHE_SETTLED_MS = 2_000;
export const HASH_THREAD_IDLE_MS = 10_000;
export const SCRIPT_BYTES_MAX = 64 * 1024 * 1024;
export const EXECUTABLE_BYTES_MAX = 1024 * 1024 * 1024;
export const RUN_TIMEOUT_MAX_DEFAULT_MS = 1_800_000;
export const OUTPUT_BYTES_DEFAULT = 80_000;
// The answer is one line, and both tails stand in it, escaped: whatever `maxOutputBytes` says, they share what a line can hold.
export const OUTPUT_ESCAPED_BYTES_MAX = 480 * 1024;
export const RUN_TREE_GONE_WITHIN_MS = 2_000;
// A program that is asked to end may put its things in order; then its whole tree is killed.
export const RUN_TERMINATE_GRACE_MS = 300;
// What a command leaves running behind itself may finish its last words; then it is ended, so that nothing outlives its approval.
export const LEFTOVERS_GRACE_MS = 250;
// After a run was ended: how long its last output may take to reach a reader who may have gone.
export const LAST_WORDS_MS = 100;
export const TREE_POLL_MS = 5;
export const STRAYS_LOOKED_FOR_AFTER_MS = 1_000;
// How often in a row processes are looked for and stopped before the first are killed: a fork bomb must not hold the loop.
export const TREE_STOP_PASSES_MAX = 8;
export const TREE_SHORT_LOOKS_MAX = 64;
// How often somebody is looked at again who may be another run's and may only be on the way to it.
export const TREE_DOUBTS_MAX = 3;
// SIGCHLD can be lost when many come at once, signal(7): children are asked after all the same.
export const REAP_POLL_MS = 500;
// While no more than so many runs want to start, each holds up the loop for a moment; beyond, another thread does it. libuv's pool has four, and
// one is left for whoever waits for the disk.
export const STARTED_AT_ONCE_MAX = 2;
export const SPAWNS_BESIDE_MAX = 3;
export const DESCRIPTORS_COUNTED_EVERY_MS = 100;
export const OUTPUT_CHUNK_BYTES = 64 * 1024;
// Most commands are over by now, and their output lies in the pipe; only for the others is it worth while to listen.
export const OUTPUT_LISTEN_AFTER_MS = 10;
export const OUTPUT_LOOKS_MAX = 8;

// analysis: what was worked out about program names is kept for the next command, which is mostly one of the same few.
export const REMEMBERED_WORDS_MAX = 1024;
export const REMEMBERED_CHARS_MAX = 256;

// client
export const CONNECT_WITHIN_MS = 5_000;
export const RECONNECT_FIRST_MS = 100;
export const RECONNECT_MAX_MS = 5_000;
export const TOKEN_FILE_BYTES_MAX = 4096;
export const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;
// What a consumer may leave unread before the client stops reading from the socket: the daemon, and then the child, wait for it.
export const STREAM_QUEUE_ITEMS_MAX = 256;
// After a cancel the tree is gone within two seconds; a daemon that still has not answered by then is left by closing the connection.
export const CANCEL_ANSWER_WITHIN_MS = 5_000;

// hooks: an agent takes a hook that says nothing in time for one that has nothing against it, and the shortest default patience is a minute.
export const HOOK_PAYLOAD_BYTES_MAX = 4 * 1024 * 1024;
export const HOOK_WAIT_DEFAULT_MS = 50_000;
export const HOOK_ANSWER_SLACK_MS = 5_000;

// cli: how soon `audit tail --follow` looks again.
export const AUDIT_FOLLOW_EVERY_MS = 500;
// The demo's daemon, on a slow machine; and how long a reader gets for one scene.
export const DEMO_DAEMON_READY_WITHIN_MS = 20_000;
export const DEMO_PAUSE_MS = 1_500;

// Of the processes that a run left behind, how many are named: a flood of them must not make its record longer than one may be.
export const ESCAPED_NAMED_MAX = 1024;

// audit: a record shows one command, which display bounds; a page must fit one line of the wire.
export const AUDIT_LINE_BYTES_MAX = 256 * 1024;
export const AUDIT_QUEUE_RECORDS_MAX = 4096;
export const AUDIT_QUEUE_BYTES_MAX = 16 * 1024 * 1024;
// A record that nobody waits for goes along with the next one that somebody does, or alone after this long.
export const AUDIT_UNAWAITED_MS = 20;
// A sync that took no longer lets the next one be made without another thread.
export const SYNC_HERE_MS_MAX = 2;
export const SYNC_HERE_CROWD_MIN = 32;
export const SYNC_HERE_BYTES_MAX = 64 * 1024;
export const AUDIT_COMMIT_BYTES_MAX = 4 * 1024 * 1024;
export const AUDIT_SEGMENT_BYTES_MAX = 16 * 1024 * 1024;
export const AUDIT_SEGMENTS_KEPT = 16;
export const AUDIT_PAGE_BYTES_MAX = 512 * 1024;

// store
export const STATE_LINKS_FOLLOWED_MAX = 40;
export const DOCUMENT_LOCK_STALE_MS = 10_000;
export const DOCUMENT_LOCK_RETRY_MS = 50;
export const DOCUMENT_LOCK_RETRIES_MAX = 100;
// The kernel's clock for file times ticks every few milliseconds; a file that has been still for this long has its final time.
export const FILE_SETTLED_MS = 50;
export const DOCUMENT_HASHES_REMEMBERED_MAX = 1024;
// So much of a document is rendered at a time: a few milliseconds.
export const DOCUMENT_SLICE_CHARS = 128 * 1024;
export const TRUST_ISSUERS_MAX = 256;
// Records of approvals that are kept in memory; the others are read from their files.
export const RECORDS_CACHED_BYTES_MAX = 8 * 1024 * 1024;
// Scripts are kept as text beside a request so that a person can read them and see what changed. Three of this size, what was allowed
// before them, and everything else about a request fit one line of the wire.
export const SCRIPT_TEXT_BYTES_MAX = 64 * 1024;
export const SCRIPT_TEXTS_PER_REQUEST_MAX = 3;
export const ALLOWED_TEXTS_MAX = 256;
// For the doctor: with less the log cannot be written for long, and without a log nothing runs.
export const DISK_FREE_BYTES_MIN = 4 * 1024 * 1024;
export const DISK_FREE_BYTES_WEAK = 256 * 1024 * 1024;
export const CLOCK_BEHIND_MS_MAX = 2_000;
export const TEMPORARY_STALE_MS = 60_000;

// daemon: less than the 45 s after which systemd and launchd end it with everything in it, so that what is cut short is in the log.
export const DRAIN_WITHIN_MS = 30_000;
// What is settled is remembered for a day, so that a second use can be told who was first, and no longer than memory allows.
export const SETTLED_KEPT_MS = 24 * 3_600_000;
export const SETTLED_KEPT_BYTES_MAX = 16 * 1024 * 1024;
// What an approval takes in memory besides its command: a flood of short ones counts too.
export const APPROVAL_BYTES = 1536;
// Beyond this many a minute refusals are counted instead of written, so that a flood cannot push the history out of the journal.
export const DENIALS_RECORDED_PER_MINUTE_MAX = 600;
export const DOOR_EVENTS_RECORDED_PER_MINUTE_MAX = 60;
export const NAME_LOOKUP_WITHIN_MS = 5_000;
export const TIDY_EVERY_MS = 60_000;
// `lastUsed*` is written when nothing was used for this long, and at the latest after the second.
export const USES_FLUSH_IDLE_MS = 2_000;
export const USES_FLUSH_LATEST_MS = 60_000;
export const USES_WAITING_MAX = 4096;
export const LAST_USED_COMMAND_CHARS_MAX = 512;
