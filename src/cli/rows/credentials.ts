import type { Command, Flag, Operand } from "../command.ts";

const ROLE: Flag = { value: "ROLE", choices: ["gateway", "operator"], summary: "whose token: the one who asks, or the one who answers" };
const ISSUER: Operand = { name: "NAME", summary: "the name the gateway's tokens carry as `iss`" };

export const CREDENTIALS: readonly Command[] = [
  {
    name: "token rotate",
    summary: "replace a token and close what came in with the old one",
    flags: {
      role: { ...ROLE, summary: `${ROLE.summary} (default: gateway)` },
      gateway: { value: "NAME", summary: "a further gateway of its own name" },
      drain: { summary: "let runs that came in with the old token finish first" },
      out: { value: "FILE", summary: "also write the new token here, at mode 0600" },
    },
    load: () => import("../token/rotate.ts"),
  },
  {
    name: "token issue",
    summary: "write a credential file for a user",
    details: [
      "The file goes to the user's ~/.config/countersign/ROLE.token, where their commands look for it, or to --out. Only root can hand a file " +
        "to another user. With --gateway the user gets a token of their own, which --agents can bind to certain agents.",
    ],
    flags: {
      role: ROLE,
      "for-uid": { value: "UID", summary: "whose file it will be" },
      gateway: { value: "NAME", summary: "make a further gateway of this name, with a token of its own" },
      agents: { value: "A,B", summary: "with --gateway: the agents it may act for, such as main,ops-*" },
      out: { value: "FILE", summary: "where to write it" },
    },
    examples: [
      { line: "countersign token issue --role gateway --for-uid 1001 --gateway ci --agents 'ci-*'", does: "a gateway for CI agents" },
    ],
    load: () => import("../token/issue.ts"),
  },
  {
    name: "token show-path",
    summary: "say which file a command would take its token from",
    flags: { role: { ...ROLE, summary: `${ROLE.summary} (default: gateway)` } },
    load: () => import("../token/show-path.ts"),
  },
  {
    name: "trust add",
    summary: "let a gateway approve commands with tokens it signs itself",
    operands: [ISSUER],
    flags: {
      key: { value: "FILE", summary: "its public Ed25519 key, PEM or JWK; - for standard input" },
      agents: { value: "A,B", summary: "only for these agents, such as main,ops-*" },
    },
    examples: [{ line: "countersign trust add ops --key ops.pub.pem --agents 'ops-*'", does: "tokens of `ops` count, for these agents" }],
    load: () => import("../trust/add.ts"),
  },
  { name: "trust list", summary: "show the gateways that may approve on their own", load: () => import("../trust/list.ts") },
  { name: "trust remove", summary: "stop trusting a gateway's tokens", operands: [ISSUER], load: () => import("../trust/remove.ts") },
];
