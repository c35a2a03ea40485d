import { expect, test } from "vitest";
import { isOpenclawMac, openclawMac } from "../../src/auth/openclaw-mac.ts";

const SIGNED = { nonce: "770808a7f0bc3c80dd414c0630a6993e", ts: 1794979409744, requestJson: '{"command":["/bin/echo","hi é"]}' };
const TOKEN = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";

test("a MAC holds for the token, nonce, time and text it was made for, and for no other", () => {
  const hmac = openclawMac(TOKEN, SIGNED);
  expect(hmac).toMatch(/^[0-9a-f]{64}$/);
  expect(isOpenclawMac(TOKEN, SIGNED, hmac)).toBe(true);
  for (const other of [
    { ...SIGNED, nonce: `${SIGNED.nonce}0` },
    { ...SIGNED, ts: SIGNED.ts + 1 },
    { ...SIGNED, requestJson: `${SIGNED.requestJson} ` },
  ]) {
    expect(isOpenclawMac(TOKEN, other, hmac)).toBe(false);
  }
  expect(isOpenclawMac(`${TOKEN}A`, SIGNED, hmac)).toBe(false);
});

test.each(["", "zz", "é".repeat(64), "0".repeat(63)])("a MAC that is no 64 hex digits (%j) is simply wrong", (hmac) => {
  expect(isOpenclawMac(TOKEN, SIGNED, hmac)).toBe(false);
});

test("upper-case digits are another MAC, and an empty token signs nothing", () => {
  expect(isOpenclawMac(TOKEN, SIGNED, openclawMac(TOKEN, SIGNED).toUpperCase())).toBe(false);
  expect(isOpenclawMac("", SIGNED, openclawMac("", SIGNED))).toBe(false);
});
