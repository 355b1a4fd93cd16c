/**
 * A restore of a small archive as a program of its own, which a failpoint can kill. Its argument is one JSON text: the data
 * folder, the archive, whether it replaces what is there, and the url of MongoDB, without which the store is embedded.
 */
import { restoreArchive } from "#host/archive/restore-archive.ts";
import { smallInstallation } from "./small-installation.ts";

const { dataDir, path, force, url } = JSON.parse(process.argv[2] ?? "") as {
	dataDir: string;
	path: string;
	force: boolean;
	url?: string;
};
try {
	const order = { path, kind: "backup", force, passphrase: "correct horse", say: () => {} } as const;
	await restoreArchive(smallInstallation(dataDir, url), order);
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
