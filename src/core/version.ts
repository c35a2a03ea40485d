/** What this program calls itself; a test holds it to package.json. */
export const VERSION = "0.1.0";
export const SERVER_NAME = `countersign/${VERSION}`;
