/**
 * Reads a folder of a session for a backup of a platform that may not read it (docs/backup.md): the program of a short container, which
 * writes the folder's entries as lines of JSON to the platform's socket. The last line says that nothing is missing.
 */
import { connect } from "node:net";
import { pipeline } from "node:stream/promises";
import { walkFolder } from "#shared/base/files/folder-walk.ts";
import { readPlaces, readToEnd } from "#shared/wire/pod/read-places.ts";

async function* lines(): AsyncGenerator<string> {
	for await (const entry of walkFolder(readPlaces.folder)) yield `${JSON.stringify(entry)}\n`;
	yield `${readToEnd}\n`;
}

await pipeline(lines, connect(readPlaces.socket));
