/** Every credential store passes the same suite. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileCredentials } from "#services/credentials/credential-stores/file.ts";
import { MemoryCredentials } from "#services/credentials/credential-stores/memory.ts";
import { describeCredentialStore } from "./credential-store.contract.ts";

const folders: string[] = [];

after(() => {
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), "atelier-credential-store-"));
	folders.push(folder);
	return join(folder, "credentials");
}

describeCredentialStore("MemoryCredentials", async () => new MemoryCredentials({ max_per_owner: 5 }));

describeCredentialStore(
	"FileCredentials",
	async () => new FileCredentials({ default_dir: newFolder(), max_per_owner: 5 }),
);

const encryption_key = Buffer.alloc(32, 5).toString("base64");
describeCredentialStore(
	"FileCredentials with a key",
	async () => new FileCredentials({ default_dir: newFolder(), max_per_owner: 5, encryption_key }),
);
