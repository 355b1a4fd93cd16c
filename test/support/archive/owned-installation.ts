/** An installation of an ordinary user without sessions, which a start has made before. Needs root. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { loadParts, serviceFolders } from "#host/service-folders.ts";
import { platformCollections } from "#host/storage/storage.ts";
import { hostId } from "#services/pod-manager/host-id.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { folderForAll, giveAway, nobody } from "../machine/ordinary-user.ts";
import { type Outcome, runArchive } from "./archive-command.ts";

export class OwnedInstallation implements Disposable {
	readonly folder: string;
	readonly dataDir: string;
	/** The id with which its containers are labelled. */
	readonly installation: string;

	private constructor(folder: string) {
		this.folder = folder;
		this.dataDir = join(folder, "data");
		mkdirSync(join(this.dataDir, "sessions"), { recursive: true, mode: 0o700 });
		hostId(this.dataDir);
		this.installation = openInstallationKey(this.dataDir, "").installationId();
	}

	static async make(): Promise<OwnedInstallation> {
		const made = new OwnedInstallation(folderForAll("owned"));
		const parts = await loadParts(serviceFolders);
		const collections = [...parts.values()].flatMap((part) => part.collections ?? []);
		const store = new EmbeddedStore({ folder: join(made.dataDir, "store") });
		await store.open([...collections, ...platformCollections]);
		await store.close();
		giveAway(made.folder);
		return made;
	}

	/** Runs a command of archives as its user. @param runtime The configuration of the runtime. @param dataDir Default: its own. */
	run(runtime: object, args: readonly string[], dataDir = this.dataDir): Promise<Outcome> {
		const config = join(this.folder, "config.yaml");
		writeFileSync(config, stringify({ pods: { runtime } }));
		return runArchive({ dataDir, home: this.folder, config, user: nobody }, args);
	}

	[Symbol.dispose](): void {
		rmSync(this.folder, { recursive: true, force: true });
	}
}
