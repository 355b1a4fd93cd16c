/**
 * The sockets of the sessions in containers: for each launch the door, at which its agent finds the platform, and the bridge, by
 * which the platform finds its agent. One process of the host has both; when it is gone, another one opens them again.
 */
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { listen } from "#shared/net/sockets/listen.ts";
import { hasListener } from "#shared/net/sockets/unix-listener.ts";
import { podWarnings } from "#shared/contracts/sessions/session-work.ts";
import { doorSockets } from "#shared/wire/pod/door/door-sockets.ts";
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { type Launch, launchName } from "../launches/launch.ts";
import { LaunchFailures } from "../machine/launch-failures.ts";
import { isPodStatus, type RunFolders } from "../machine/run-folders.ts";
import { AgentBridge } from "./agent-bridge.ts";
import { documentName, socketFolders } from "./container-request.ts";
import type { LaunchEgress, OpenedEgress } from "./launch-egress.ts";
import type { LaunchModels } from "./launch-models.ts";
import { isRefusalNote } from "./refusal-notes.ts";
import { sessionDoor } from "./session-door.ts";

const maxDocumentBytes = 2_097_152;

interface Opened {
	/**
	 * Closes all that is open, the folder of the sockets last: a server removes its socket by the path through it.
	 */
	readonly closing: AsyncDisposableStack;
	readonly egress: OpenedEgress;
	/** Sentences beside those of the agent and those about refused servers, which are told with the status. */
	readonly warnings: string[];
	/** Absent until the agent has reported. */
	bridge?: AgentBridge;
}

/** The dependencies of all doors. */
export interface LaunchDoorsDependencies {
	readonly runs: RunFolders;
	/** The host at which agents are reached. */
	readonly listenHost: string;
	/** Returns the prefix of the platform's API (pod-runtime.ts). */
	readonly platformUrl: () => string;
	/** Returns the token by which a launch speaks to the platform. */
	readonly podToken: (launch: Launch) => string;
	readonly models: LaunchModels;
	readonly egress: LaunchEgress;
	/** Learns that an agent has reported. */
	readonly onReport: (launch: Launch) => void;
}

/** Owns the doors and bridges of this process. */
export class LaunchDoors {
	readonly #dependencies: LaunchDoorsDependencies;
	/** The launches all of whose sockets are open. */
	readonly #opened = new Map<string, Opened>();
	/** The launches whose sockets could not be opened. */
	readonly #failed = new LaunchFailures((count) => `Cannot open the sockets of ${count} session(s)`);
	readonly #changes = new KeyedQueues();

	constructor(dependencies: LaunchDoorsDependencies) {
		this.#dependencies = dependencies;
	}

	/** Returns the folders of a launch's sockets: the platform's and the agent's. */
	foldersOf(launch: Launch): { platform: string; agent: string } {
		const folder = this.#dependencies.runs.path(launch);
		return { platform: join(folder, socketFolders.platform), agent: join(folder, socketFolders.agent) };
	}

	/**
	 * Opens the sockets of a launch unless a living process has them. Its folders exist.
	 * @param folder The folder of the platform's sockets as long as it is not at its place; default: it is. @throws {Error} when not all of them can be
	 * opened, and then none is open: the agent waits for its platform, and the next call tries again.
	 */
	open(launch: Launch, folder = this.foldersOf(launch).platform): Promise<void> {
		const name = launchName(launch);
		return this.#changes.run(name, async () => {
			if (this.#opened.has(name)) return;
			try {
				const opened = await this.#openAll(launch, folder);
				if (opened) this.#opened.set(name, opened);
				this.#failed.delete(launch);
			} catch (error) {
				this.#failed.add(launch, error);
				throw error;
			}
		});
	}

	/** A sentence about sockets that cannot be opened; undefined when there are none. */
	get trouble(): string | undefined {
		return this.#failed.trouble;
	}

	/** Forgets the trouble of all launches but those that are there: other processes end launches, too. */
	forgetOthers(launches: readonly Launch[]): void {
		this.#failed.forgetOthers(launches);
	}

	/** Keeps the launch document until the agent has reported. It holds secrets, so only the platform's user can read it. */
	async keepDocument(launch: Launch, document: string): Promise<void> {
		await replaceFile(this.#documentOf(launch), document);
	}

	/** Tells a session something beside what its agent tells. Whoever calls bounds how often. */
	async warn(launch: Launch, sentence: string): Promise<void> {
		await this.#changes.run(launchName(launch), async () => {
			this.#opened.get(launchName(launch))?.warnings.push(sentence);
			await this.#tellAgain(launch);
		});
	}

	/** Removes the secrets of a launch. */
	async removeDocument(launch: Launch): Promise<void> {
		await rm(this.#documentOf(launch), { force: true });
	}

	close(launch: Launch): Promise<void> {
		return this.#changes.run(launchName(launch), async () => {
			const opened = this.#opened.get(launchName(launch));
			this.#opened.delete(launchName(launch));
			this.#failed.delete(launch);
			await opened?.closing.disposeAsync();
		});
	}

	/** Closes what is open; the sessions go on, and wait for the next process. */
	async closeAll(): Promise<void> {
		const all = [...this.#opened.values()];
		this.#opened.clear();
		await Promise.all(all.map(({ closing }) => closing.disposeAsync()));
	}

	/** Opens the door, the way out and, when the agent has reported before, the bridge. Undefined: they are not this process's to open. */
	async #openAll(launch: Launch, path: string): Promise<Opened | undefined> {
		await using opening = new AsyncDisposableStack();
		const folder = opening.use(await UntrustedFolder.open(path));
		// The path of a Unix socket has at most 107 bytes, and that of a data folder any number.
		const socket = folder?.path(doorSockets.platform);
		if (!folder || socket === undefined || (await hasListener(socket))) return undefined;
		await this.#openDoor(launch, socket, opening);
		const egress = await this.#openEgress(launch, folder.path(doorSockets.egress), opening);
		// This also reports the usage that an earlier process could not report.
		await this.#dependencies.models.of(launch);
		const opened: Opened = { closing: opening, egress, warnings: [] };
		const { status } = await this.#dependencies.runs.read(launch);
		if (status) await this.#keep(launch, opened, status);
		return { ...opened, closing: opening.move() };
	}

	async #openDoor(launch: Launch, socket: string, closing: AsyncDisposableStack): Promise<void> {
		const door = sessionDoor({
			launch: () => this.#documentIn(launch),
			report: (status) => this.#changes.run(launchName(launch), () => this.#take(launch, status)),
			model: () => this.#dependencies.models.of(launch),
			podToken: () => this.#dependencies.podToken(launch),
			platformUrl: this.#dependencies.platformUrl,
		});
		await rm(socket, { force: true });
		closing.defer(() => {
			door.close();
			door.closeAllConnections();
		});
		await listen(door, { path: socket });
		// Its folder can be entered by the platform and the container only.
		await chmod(socket, 0o666);
	}

	async #openEgress(launch: Launch, socket: string, closing: AsyncDisposableStack): Promise<OpenedEgress> {
		await rm(socket, { force: true });
		const opened = await this.#dependencies.egress.open(launch, socket, () => {
			void this.#changes.run(launchName(launch), () => this.#tellAgain(launch)).catch(() => {});
		});
		closing.defer(() => opened.proxy.close());
		await chmod(socket, 0o666);
		return opened;
	}

	/** Tells the last status again, with the warnings since. */
	async #tellAgain(launch: Launch): Promise<void> {
		const { runs, egress } = this.#dependencies;
		const opened = this.#opened.get(launchName(launch));
		if (!opened) return;
		await egress.keepNotes(launch, opened.egress.notes);
		const { status } = await runs.read(launch);
		if (!status) return;
		await this.#keep(launch, opened, status);
		this.#dependencies.onReport(launch);
	}

	/** Takes a status; after the first one, nobody gets the launch document any more. @throws {SyntaxError} */
	async #take(launch: Launch, content: Buffer): Promise<void> {
		const posted: unknown = JSON.parse(content.toString("utf8"));
		if (!isPodStatus(posted)) throw new SyntaxError("This is no status");
		// A session must not choose a port of the host.
		const { host: _host, port: _port, measured: _measured, ...status } = posted;
		const opened = this.#opened.get(launchName(launch));
		// The agent reports again to the next process, or when its door is open again.
		if (!opened) throw new Error("The door is closed");
		await this.#keep(launch, opened, status);
		await this.removeDocument(launch);
		this.#dependencies.onReport(launch);
	}

	/** Writes the status with the port of the launch's bridge, which is opened if need be. */
	async #keep(launch: Launch, opened: Opened, status: object): Promise<void> {
		const { runs, listenHost } = this.#dependencies;
		const former = "port" in status && typeof status.port === "number" ? status.port : 0;
		const openBridge = () => AgentBridge.open(this.foldersOf(launch).agent, listenHost, former);
		opened.bridge ??= opened.closing.adopt(await openBridge(), (bridge) => bridge.close());
		const told = "warnings" in status && Array.isArray(status.warnings) ? status.warnings.map(String) : [];
		const refused = opened.egress.notes.sentences;
		// More of them would hide what the platform says.
		const own = told.filter((sentence) => !isRefusalNote(sentence)).slice(0, podWarnings.ofAgent);
		const warnings = [...new Set([...own, ...opened.warnings, ...refused])];
		const reached = { ...status, ...(warnings.length > 0 && { warnings }), host: listenHost, port: opened.bridge.port };
		await replaceFile(runs.path(launch, "status"), JSON.stringify(reached));
	}

	async #documentIn(launch: Launch): Promise<string | undefined> {
		const content = await readUntrusted(this.#documentOf(launch), maxDocumentBytes);
		return content?.toString("utf8");
	}

	#documentOf(launch: Launch): string {
		return join(this.#dependencies.runs.path(launch), documentName);
	}
}
