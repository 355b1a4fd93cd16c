/**
 * A real replica set of three servers loses its primary repeatedly under a real platform with two relays. Clients
 * write and follow the stream; after each round their observations and the database are checked.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Db, MongoClient } from "mongodb";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { Random } from "../faults/random.ts";
import { eventually } from "../support/eventually.ts";
import { MongodSet } from "../support/stores/mongod-set.ts";
import { startNatsServer } from "../support/bus/nats-server.ts";
import { startPlatform, type TestPlatform } from "../support/platform/start-platform.ts";
import { holdVariable } from "./held-append-store.ts";
import { RevisionWatch } from "./revision-watch.ts";
import { type Fault, type RoundKind, roundKinds } from "./round-kinds.ts";
import { disagreements, holesOf } from "./store-check.ts";
import { Writers } from "./writers.ts";
import { storingServices } from "../support/platform/storing-services.ts";

export interface Round {
	readonly kind: RoundKind;
	/** The time from a possible majority until it had a primary. */
	readonly electedMs: number;
	/** The time from a possible majority until clients received what was written since. */
	readonly backMs: number;
	readonly resets: number;
	readonly gaps: number;
	readonly doubles: number;
	readonly lost: number;
	readonly holes: number;
	/** Sentences on what `lost` counts. */
	readonly wrong: readonly string[];
}

export interface FailoverOptions {
	readonly kinds: readonly RoundKind[];
	readonly seed: number;
	/** The sources of the platform; by default the project's. */
	readonly root?: string;
	readonly onRound?: (round: Round) => void;
}

export interface FailoverReport {
	readonly seed: number;
	readonly acknowledged: number;
	readonly rounds: readonly Round[];
}

const store = "test/failover/held-append-store.ts";
const sessions = 3;
const settleMs = 120_000;

/** Most rounds repeat the situation of the finding. */
export function seededKinds(rounds: number, seed: number): RoundKind[] {
	const random = new Random(seed);
	const others = ["killed", "stepped down", "frozen"] as const;
	return Array.from({ length: rounds }, () => (random.next() < 0.5 ? "unconfirmed" : random.pick(others)));
}

export async function failoverRun({ kinds, seed, root, onRound }: FailoverOptions): Promise<FailoverReport> {
	if (root !== undefined) cpSync(join(projectRoot, store), join(root, store));
	await using set = await MongodSet.start(3);
	await using nats = await startNatsServer();
	await using platform = await startPlatform({
		...(root !== undefined && { root }),
		processes: [["gateway", "stream"], storingServices],
		readyAt: "/health",
		config: { store: { adapter: `${store}#HeldAppendStore`, kwargs: { url: set.url } } },
		env: { BUS__URL: nats.url },
	});
	const hold = join(platform.folder, "hold");
	platform.processes.push(platform.startProcess(["event-log", "sessions"], { [holdVariable]: hold }));
	const key = openInstallationKey(platform.dataDir, "");
	const writers = new Writers(platform.client(), (session) =>
		platform.client({ authorization: `Bearer ${key.podToken(session, 1)}` }),
	);
	await writers.open(sessions);
	await using stage = new Stage(set, platform, writers);
	const random = new Random(seed);
	const rounds: Round[] = [];
	for (const kind of kinds) {
		const round = await stage.round({ set, hold }, kind, random.between(300, 2_000));
		rounds.push(round);
		onRound?.(round);
	}
	return { seed, acknowledged: writers.count, rounds };
}

/** The clients and checks of the platform. */
class Stage implements AsyncDisposable {
	readonly #writers: Writers;
	readonly #watches: readonly RevisionWatch[];
	readonly #client: MongoClient;
	/** The results of earlier rounds. */
	#holes = 0;

	constructor(set: MongodSet, { prefix, login }: TestPlatform, writers: Writers) {
		this.#writers = writers;
		// One client stays connected, and one reconnects repeatedly.
		this.#watches = [Infinity, 1_500].map((ms) => new RevisionWatch(`${prefix}/sessions/stream`, login.headers, ms));
		this.#client = new MongoClient(set.url, { readConcern: { level: "majority" } });
	}

	/** @param quietMs The time of writing before the fault. */
	async round(fault: Fault, kind: RoundKind, quietMs: number): Promise<Round> {
		const before = this.#seen();
		this.#writers.begin();
		await sleep(quietMs);
		const { back, elected, mend } = await roundKinds[kind](fault);
		const backMs = (await this.#toldOfNews(back)) - back;
		await mend();
		await fault.set.whole();
		await this.#writers.rest();
		const wrong = await this.#wrongInTheEnd();
		const holes = await holesOf(this.#database);
		const after = this.#seen();
		const round = {
			kind,
			electedMs: Math.round(elected - back),
			backMs: Math.round(backMs),
			resets: after.resets - before.resets,
			gaps: after.gaps - before.gaps,
			doubles: after.doubles - before.doubles,
			lost: wrong.length,
			holes: holes - this.#holes,
			wrong,
		};
		this.#holes = holes;
		return round;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#writers.rest();
		await Promise.all(this.#watches.map((watch) => watch.stop()));
		await this.#client.close();
	}

	get #database(): Db {
		return this.#client.db("atelier");
	}

	/** Resolves with the time at which all clients had received something that was acknowledged after `since`. */
	#toldOfNews(since: number): Promise<number> {
		const toldAt = () => {
			const news = [...this.#writers.names].filter(([, at]) => at > since);
			const told = news.map(([name]) => Math.max(...this.#watches.map(({ names }) => names.get(name) ?? Infinity)));
			const first = Math.min(...told);
			return Number.isFinite(first) ? first : undefined;
		};
		return eventually(toldAt, { withinMs: settleMs, what: "the stream is back" });
	}

	/** The faults that remain after the time for recovery. */
	async #wrongInTheEnd(): Promise<string[]> {
		const wrong = async () => [
			...(await this.#writers.lost()),
			...(await disagreements(this.#database)),
			...this.#watches.flatMap((watch) => this.#untold(watch)),
		];
		await eventually(async () => (await wrong()).length === 0, { withinMs: settleMs, everyMs: 200 }).catch(() => {});
		return wrong();
	}

	/** The acknowledged revisions that a client did not receive. */
	#untold({ told }: RevisionWatch): string[] {
		return [...this.#writers.acknowledged].flatMap(([id, rev]) => {
			const newest = told.get(id) ?? 0;
			return newest >= rev ? [] : [`session ${id}: a client knows revision ${newest}, ${rev} was acknowledged`];
		});
	}

	#seen() {
		const sum = (what: "resets" | "gaps" | "doubles") => this.#watches.reduce((total, watch) => total + watch[what], 0);
		return { resets: sum("resets"), gaps: sum("gaps"), doubles: sum("doubles") };
	}
}
