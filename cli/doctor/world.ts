/** The objects that the proof of access makes as one person, and that the other callers try to reach. */
import { randomBytes } from "node:crypto";
import type { Ownership } from "#shared/contracts/access/access-table.ts";
import { deadline, sleep } from "#shared/base/clock.ts";
import type { Caller } from "./caller.ts";
import { PlatformError } from "../platform-client.ts";
import { makerOf, type MakerName, makers } from "./makers.ts";
import type { Prober } from "./prober.ts";

/** An object of the owner. */
export interface Target {
	readonly object: MakerName;
	readonly id: string;
	/** A name that occurs in the object and nowhere else, like its id; absent for an object that was not made here. */
	readonly mark?: string;
	readonly ownership: Ownership;
}

const stepMs = 100;
const statusMs = 60_000;

export interface WorldOptions {
	readonly prober: Prober;
	/** The prefix of the API, e.g. `/api/v1/svc`. */
	readonly prefix: string;
	readonly owner: Caller;
	/** Whether objects that cannot be removed are left out. */
	readonly isInUse: boolean;
}

/** The objects of one proof. */
export class World {
	readonly #options: WorldOptions;
	readonly #targets = new Map<MakerName, Target>();
	/** Every object that was made and can be removed, the newest last. */
	readonly #made: { object: MakerName; id: string; by: Caller }[] = [];

	constructor(options: WorldOptions) {
		this.#options = options;
	}

	get targets(): readonly Target[] {
		return [...this.#targets.values()];
	}

	/** Returns an object; undefined when it was not made. */
	target(object: MakerName): Target | undefined {
		return this.#targets.get(object);
	}

	/** Makes the objects. The session is started `launches` times and stopped. @throws {PlatformError} */
	async make(launches: number): Promise<void> {
		for (const object of Object.keys(makers) as MakerName[]) {
			const { existing, remove } = makerOf(object);
			if (this.#options.isInUse && remove === undefined && !existing) continue;
			const target = existing ? this.#existing(object, existing) : await this.#firstOf(object);
			if (target) this.#targets.set(object, target);
			if (object === "session") await this.#runAndStop(launches);
		}
	}

	/** Returns an object that nobody has to make; it has no mark, because its id occurs elsewhere. */
	#existing(object: MakerName, existing: "tenant" | "session"): Target {
		const { tenant, id: owner } = this.#principal;
		if (existing === "tenant") return { object, id: tenant, ownership: { tenant, owner: null } };
		return { object, id: this.#targets.get("session")?.id ?? "", ownership: { tenant, owner } };
	}

	/** Makes an object; undefined for one that a platform in use is not configured to make (503). @throws {PlatformError} */
	async #firstOf(object: MakerName): Promise<Target | undefined> {
		try {
			return await this.fresh(object);
		} catch (error) {
			if (this.#options.isInUse && error instanceof PlatformError && error.status === 503) return undefined;
			throw error;
		}
	}

	/** Makes one more object of this kind. @throws {PlatformError} */
	async fresh(object: MakerName): Promise<Target> {
		const { make, body, id: member, kind } = makerOf(object);
		const { tenant, id: owner } = this.#principal;
		const mark = `doctor-${randomBytes(15).toString("hex").slice(0, 29)}`;
		const session = this.#targets.get("session")?.id ?? "";
		const [method = "", path = ""] = make.split(" ");
		const filled = path.replaceAll(/:(\w+)/g, (_all, name: MakerName) => this.#targets.get(name)?.id ?? name);
		const made = await this.#send(method, filled, body(mark, session));
		const id = String(made[member]);
		this.remember(object, id, this.#options.owner);
		const isSession = object === "session" || object === "unstarted-session";
		const ofSession = kind === "session" ? { session: isSession ? id : session } : {};
		return { object, id, mark, ownership: { ...ofSession, tenant, owner } };
	}

	/** Notes that an object has to be removed at the end. */
	remember(object: MakerName, id: string, by: Caller): void {
		if (makerOf(object).remove !== undefined) this.#made.push({ object, id, by });
	}

	/** Removes every object; returns sentences about those that are still there. */
	async remove(): Promise<string[]> {
		const left: string[] = [];
		for (const { object, id, by } of this.#made.toReversed()) left.push(...(await this.removeOne(object, id, by)));
		return left;
	}

	/** Removes one object; returns a sentence when it is still there. */
	async removeOne(object: MakerName, id: string, by: Caller): Promise<string[]> {
		const { remove = "", removal: body } = makerOf(object);
		const path = this.#full(remove.replace(":id", encodeURIComponent(id)));
		const { status, text } = await this.#options.prober.send(by, { method: "DELETE", path, body });
		return status >= 300 && status !== 404 ? [`The ${object} ${id} was not removed: ${status} ${text}`] : [];
	}

	async #runAndStop(launches: number): Promise<void> {
		const path = `/sessions/${this.target("session")?.id}`;
		for (let launch = 1; launch <= launches; launch++) {
			if (launch > 1) await this.#send("POST", `${path}/start`, {});
			await this.#reaches(path, "running");
			await this.#send("POST", `${path}/stop`);
			await this.#reaches(path, "stopped");
		}
	}

	async #reaches(path: string, wanted: string): Promise<void> {
		const end = deadline(statusMs);
		for (;;) {
			const { status, error } = await this.#send("GET", path);
			if (status === wanted) return;
			if (status === "failed") throw new PlatformError(`The session of the proof failed: ${String(error)}`);
			if (end.aborted) throw new PlatformError(`The session of the proof is not ${wanted} after 60 s`);
			await sleep(stepMs);
		}
	}

	get #principal() {
		const { principal } = this.#options.owner;
		if (!principal) throw new PlatformError("The owner's credential is not valid");
		return principal;
	}

	#full(path: string): string {
		return path.startsWith("//") ? path.slice(1) : this.#options.prefix + path;
	}

	async #send(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
		const { prober, owner } = this.#options;
		const { status, text } = await prober.send(owner, { method, path: this.#full(path), body });
		if (status >= 300)
			throw new PlatformError(`${method} ${this.#full(path)} was answered with ${status}: ${text}`, status);
		return JSON.parse(text) as Record<string, unknown>;
	}
}
