/** Real MongoDB servers that form a replica set on loopback. Each can be killed, frozen and started again. Needs: mongod. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Document, MongoClient } from "mongodb";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { findProgram, testProgram } from "../machine/test-program.ts";
import { type MongodLogin, MongodSecurity, platformUser } from "./mongod-security.ts";

const program = findProgram("mongod");

/** The reason why tests with a real MongoDB server are omitted; undefined when there is one. */
export const withoutMongod = reasonAgainst();

function reasonAgainst(): string | undefined {
	if (program === undefined) return "no mongod here, `npm run servers -- get mongod`";
	return spawnSync(program, ["--version"]).status === 0 ? undefined : "mongod does not run here";
}

/** The time after which an isolated primary steps down and others start an election, in milliseconds. */
const defaultElectionMs = 4_000;

/** The time for a restart after a kill, in milliseconds, on a machine with other work. */
const startMs = 120_000;

export class Mongod {
	readonly port: number;
	readonly #folder: string;
	readonly #security: MongodSecurity | undefined;
	#child: ChildProcess | undefined;
	#isFrozen = false;

	/** @param security With it the server speaks TLS only, and knows its users. */
	constructor(port: number, folder: string, security?: MongodSecurity) {
		this.port = port;
		this.#folder = folder;
		this.#security = security;
		mkdirSync(folder);
	}

	/** Whether the server is neither killed nor frozen. */
	get runs(): boolean {
		const child = this.#child;
		return !this.#isFrozen && child !== undefined && child.exitCode === null && child.signalCode === null;
	}

	/** Starts the server, also again after a kill; resolves when it answers. */
	async start(): Promise<void> {
		const small = ["--oplogSize", "64", "--wiredTigerCacheSizeGB", "0.25"];
		const engine = ["--wiredTigerEngineConfigString", "log=(file_max=8MB,prealloc=false)"];
		const quiet = ["--nounixsocket", "--setParameter", "diagnosticDataCollectionEnabled=false"];
		const log = join(this.#folder, "..", `${this.port}.log`);
		const place = ["--dbpath", this.#folder, "--port", String(this.port), "--bind_ip", "127.0.0.1"];
		const written = ["--logpath", log, "--logappend", "--replSet", "rs0", ...(this.#security?.args ?? [])];
		this.#child = spawn(testProgram("mongod"), [...place, ...written, ...small, ...engine, ...quiet], {
			stdio: "ignore",
		});
		const answers = async () => {
			if (!this.runs) throw new MongodEnded(readFileSync(log, "utf8").slice(-2_000));
			return this.command({ ping: 1 });
		};
		await eventually(answers, { withinMs: startMs, everyMs: 50, what: "mongod answers" });
	}

	/** Kills the server with SIGKILL. */
	async kill(): Promise<void> {
		this.thaw();
		if (!this.runs || !this.#child) return;
		const exit = once(this.#child, "exit");
		this.#child.kill("SIGKILL");
		await exit;
	}

	/** Stops the server with SIGSTOP: connections stay, nothing answers. */
	freeze(): void {
		this.#isFrozen = true;
		this.#child?.kill("SIGSTOP");
	}

	/** Continues the server with SIGCONT. */
	thaw(): void {
		this.#child?.kill("SIGCONT");
		this.#isFrozen = false;
	}

	/** Sends a command to this server only, not to others of its set. */
	command(command: Document): Promise<Document> {
		return this.#ask((client) => client.db("admin").command(command));
	}

	/** Counts the documents of this server, whether a majority has them or not. */
	count(database: string, collection: string): Promise<number> {
		return this.#ask((client) => client.db(database).collection(collection).countDocuments());
	}

	async #ask<T>(ask: (client: MongoClient) => Promise<T>): Promise<T> {
		const client = new MongoClient(`mongodb://127.0.0.1:${this.port}/?directConnection=true`, {
			serverSelectionTimeoutMS: 2_000,
			socketTimeoutMS: 5_000,
			...this.#security?.clientOptions,
		});
		try {
			return await ask(client);
		} finally {
			await client.close();
		}
	}
}

class MongodEnded extends Error {}

export class MongodSet implements AsyncDisposable {
	readonly members: readonly Mongod[];
	readonly #folder: string;
	readonly #security: MongodSecurity | undefined;

	private constructor(members: readonly Mongod[], folder: string, security: MongodSecurity | undefined) {
		this.members = members;
		this.#folder = folder;
		this.#security = security;
	}

	/** Starts a set that speaks TLS only and knows two users (mongod-security.ts); resolves when there is a primary. */
	static startSecured(size: number): Promise<MongodSet> {
		return MongodSet.start(size, defaultElectionMs, (folder) => new MongodSecurity(folder));
	}

	/** Starts a set; resolves when there is a primary. */
	static async start(
		size: number,
		electionMs = defaultElectionMs,
		secure?: (folder: string) => MongodSecurity,
	): Promise<MongodSet> {
		const folder = mkdtempSync(join(tmpdir(), "atelier-mongod-"));
		const security = secure?.(folder);
		const ports = await Promise.all(Array.from({ length: size }, freePort));
		const set = new MongodSet(
			ports.map((port) => new Mongod(port, join(folder, String(port)), security)),
			folder,
			security,
		);
		try {
			await Promise.all(set.members.map((member) => member.start()));
			await set.#initiate(electionMs);
			return set;
		} catch (error) {
			await set[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** The URL for the platform; of a secured set, with its user. */
	get url(): string {
		return this.urlFor(this.#security?.loginFor(platformUser));
	}

	/** The URL without TLS and user, or with others. */
	urlFor({ user, query }: MongodLogin = { user: "", query: "" }): string {
		const members = this.members.map(({ port }) => `127.0.0.1:${port}`).join(",");
		return `mongodb://${user}${members}/?replicaSet=rs0${query}`;
	}

	/** The means to log in to a secured set. @throws {Error} for any other set. */
	get security(): MongodSecurity {
		if (!this.#security) throw new Error("The set is not secured");
		return this.#security;
	}

	/**
	 * Resolves with the member that is the primary and has proved it by a majority write. @throws {Error} when there is
	 * none in time.
	 */
	primary(withinMs = startMs): Promise<Mongod> {
		const found = async () => {
			for (const member of this.members) if (member.runs && (await isPrimary(member))) return member;
			return undefined;
		};
		return eventually(found, { withinMs, everyMs: 50, what: "the set has a primary" });
	}

	/** Resolves when every expected member follows the primary, so that the next fault meets a complete set. */
	async whole(): Promise<void> {
		const isWhole = async () => {
			const { members } = await (await this.primary()).command({ replSetGetStatus: 1 });
			return (members as { stateStr: string }[]).every(({ stateStr }) => ["PRIMARY", "SECONDARY"].includes(stateStr));
		};
		await eventually(isWhole, { withinMs: startMs, everyMs: 100, what: "all members follow" });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.members.map((member) => member.kill()));
		rmSync(this.#folder, { recursive: true, force: true });
	}

	async #initiate(electionMs: number): Promise<void> {
		const [first] = this.members;
		const members = this.members.map(({ port }, _id) => ({ _id, host: `127.0.0.1:${port}` }));
		// A new primary waits for a heartbeat of each member, including the frozen one.
		const settings = {
			electionTimeoutMillis: defaultElectionMs,
			heartbeatIntervalMillis: 500,
			heartbeatTimeoutSecs: 2,
		};
		const set = { _id: "rs0", members, settings };
		await first?.command({ replSetInitiate: set });
		if (this.#security) await this.#security.makeUsers(this.members);
		await this.whole();
		// The first election would wait for the same time.
		if (electionMs !== defaultElectionMs) await this.#electAfter(electionMs);
	}

	async #electAfter(electionTimeoutMillis: number): Promise<void> {
		const primary = await this.primary();
		const { config } = await primary.command({ replSetGetConfig: 1 });
		const settings = { ...config.settings, electionTimeoutMillis };
		await primary.command({ replSetReconfig: { ...config, version: config.version + 1, settings } });
		await this.whole();
	}
}

/**
 * Whether a member is the primary. A former primary that was frozen still claims to be one until it hears of its
 * successor; only a member that can commit is one.
 */
async function isPrimary(member: Mongod): Promise<boolean> {
	try {
		if (!(await member.command({ hello: 1 }))["isWritablePrimary"]) return false;
		await member.command({ appendOplogNote: 1, data: { probe: 1 }, writeConcern: { w: "majority", wtimeout: 3_000 } });
		return true;
	} catch {
		return false;
	}
}
