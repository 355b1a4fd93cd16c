/**
 * The folders with which warm containers are created: `run/.warm/<name>` with those of the sockets, and `sessions/.warm/<name>` for
 * the files of a session. They are renamed into the places of the session that gets the container: a mount leads to its folder,
 * whatever the name of that is.
 */
import { chmod, lstat, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { makeShared } from "../container-folders.ts";
import { socketFolders } from "../container-request.ts";
import { entriesOf, namesIn, unlessMissing } from "../../machine/folder-entries.ts";
import type { Trash } from "../../machine/trash.ts";
import { WarmChannel } from "./warm-channel.ts";

/** The names of warm containers, which are random. */
const form = /^[0-9a-f]{16}$/;
/** A folder without a container is removed when it is older, in milliseconds: another process may just be creating one. */
const oldMs = 60_000;

/** The folders of a container. */
export interface WarmPlaces {
	/** The folder of the platform's sockets. */
	readonly platform: string;
	/** The folder of the agent's socket. */
	readonly agent: string;
	/** The folder of the files of a session. */
	readonly files: string;
}

/** The folders of all warm containers of one installation. */
export class WarmFolders {
	readonly #runs: string;
	readonly #files: string;
	readonly #trash: Trash;

	/** @param dataDir The platform's data folder. @param trash The one of launches. */
	constructor(dataDir: string, trash: Trash) {
		this.#runs = join(dataDir, "run", ".warm");
		this.#files = join(dataDir, "sessions", ".warm");
		this.#trash = trash;
	}

	placesOf(name: string): WarmPlaces {
		const folder = join(this.#runs, name);
		return {
			platform: join(folder, socketFolders.platform),
			agent: join(folder, socketFolders.agent),
			files: join(this.#files, name),
		};
	}

	/** Returns the names for which there are folders. */
	async names(): Promise<string[]> {
		const found = [...(await namesIn(this.#runs)), ...(await namesIn(this.#files))];
		return [...new Set(found)].filter((name) => form.test(name));
	}

	async make(name: string): Promise<WarmPlaces> {
		const places = this.placesOf(name);
		await mkdir(this.#files, { recursive: true, mode: 0o700 });
		await mkdir(dirname(places.platform), { recursive: true, mode: 0o700 });
		await mkdir(places.platform);
		// The mask of a service would keep the user of sessions out.
		await chmod(places.platform, 0o755);
		for (const folder of [places.agent, places.files]) await makeShared(folder);
		return places;
	}

	/** Whether a living process has the container. */
	async isHeld(name: string): Promise<boolean> {
		const { platform } = this.placesOf(name);
		return WarmChannel.isHeld(platform);
	}

	/** Whether the folders are so young that another process may be creating the container. @param at Milliseconds since 1970. */
	async isYoung(name: string, at: number): Promise<boolean> {
		const places = [join(this.#runs, name), join(this.#files, name)];
		const found = await Promise.all(places.map((path) => lstat(path).catch(unlessMissing)));
		return found.some((one) => one && Math.abs(at - one.mtimeMs) <= oldMs);
	}

	/**
	 * Moves those that are there to the places of a launch. It may be repeated, also by another process. Sockets at these places,
	 * which no container has, give way. @throws {Error} when the session has files already.
	 */
	async move(name: string, to: WarmPlaces): Promise<void> {
		const from = this.placesOf(name);
		await rename(from.files, to.files).catch(unlessMissing);
		for (const place of ["agent", "platform"] as const) await this.#replace(to[place], from[place]);
		await rm(join(this.#runs, name), { recursive: true, force: true });
	}

	/** Moves a folder to a place, if it is not there yet. What was at the place goes to the trash. */
	async #replace(place: string, folder: string): Promise<void> {
		await rename(folder, place).catch(async (error: NodeJS.ErrnoException) => {
			if (error.code !== "ENOTEMPTY") return unlessMissing(error);
			// Another process may move the folder at any moment, and listen in it. The place is opened while the folder is not there yet, so
			// that nothing else is emptied.
			await using former = await UntrustedFolder.open(place);
			if (former && (await lstat(folder).catch(unlessMissing)))
				for await (const { path } of entriesOf(former.path(""))) await this.#trash.discard(path);
			await rename(folder, place).catch(unlessMissing);
		});
	}

	/** Removes the folders of a container that no session has got. Nothing but the agent has been in them. */
	async remove(name: string): Promise<void> {
		await rm(join(this.#runs, name), { recursive: true, force: true });
		await rm(join(this.#files, name), { recursive: true, force: true });
	}
}
