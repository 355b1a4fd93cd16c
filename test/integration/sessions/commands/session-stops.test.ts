import { expect } from "chai";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Commander } from "#services/sessions/commands/commander.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import type { SessionCommands } from "#services/sessions/commands/session-commands.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { SessionStops } from "#services/sessions/commands/session-stops.ts";
import { now } from "#shared/base/clock.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { eventually } from "../../../support/eventually.ts";
import { alice } from "../../../support/bus/test-brokers.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";

/** The limit exceeds the time of any test: an answer that comes earlier has not waited for its limit. */
const patienceMs = 60_000;

describe("SessionStops", () => {
	let folder: string;
	let store: EmbeddedStore;
	let records: SessionRecords;
	let commands: SessionCommands;
	let stops: SessionStops;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-stops-"));
		store = new EmbeddedStore({ folder });
		await store.open([sessionCollection, workspaceCollection, idempotencyRecordCollection]);
		records = new SessionRecords(store, () => {});
		commands = commandsOver(records, store);
		stops = new SessionStops(commands, records, { patienceMs });
	});
	afterEach(async () => {
		await store.close();
		await rm(folder, { recursive: true });
	});

	function person(id: string): Commander {
		return { principal: { ...alice, id } };
	}

	async function created(commander: Commander): Promise<string> {
		const { $json: json } = await commands.create(commander, { request: sessionCreate() });
		return (JSON.parse(json) as Session).id;
	}

	/** Stops new sessions, and returns the answers that wait. */
	async function waiting(commander: Commander, count: number) {
		const ids = await Promise.all(Array.from({ length: count }, () => created(commander)));
		const answers = ids.map((id) => stops.stop(commander, id));
		for (const id of ids) await eventually(async () => (await statusOf(commander, id)) === "stopping");
		return { ids, answers };
	}

	async function statusOf({ principal }: Commander, id: string): Promise<string> {
		return (await records.get(principal, id)).session.status;
	}

	/** Reports the end of the pods as a pass would. */
	async function end(commander: Commander, ids: readonly string[]): Promise<void> {
		for (const id of ids) await commands.run(commander, "archive", id);
	}

	it("answers with the session's state: archived, deleted", async () => {
		const ada = person("ada");
		const { ids, answers } = await waiting(ada, 2);
		const [archived = "", deleted = ""] = ids;
		await commands.run(ada, "archive", archived);
		await commands.run(ada, "delete", deleted);
		const statuses = (await Promise.all(answers)).map(({ status }) => status);
		expect(statuses).to.deep.equal(["archived", "stopping"]);
	});

	it("answers at once a person with eight waiting answers, and nobody else", async () => {
		const [ada, ben] = [person("ada"), person("ben")];
		const eight = await waiting(ada, 8);
		expect(await stops.stop(ada, await created(ada)), "the ninth").to.include({ status: "stopping" });
		const other = await waiting(ben, 1);
		await end(ben, other.ids);
		expect(await other.answers[0], "of another person").to.include({ status: "archived" });
		await end(ada, eight.ids);
		for (const answer of eight.answers) expect(await answer).to.include({ status: "archived" });
		const again = await waiting(ada, 1);
		await end(ada, again.ids);
		expect(await again.answers[0], "when the eight are answered").to.include({ status: "archived" });
	});

	it("lets 64 answers wait in total", async () => {
		const crowd = Array.from({ length: 8 }, (_one, n) => person(`one of eight: ${n}`));
		const stopped = await Promise.all(crowd.map((one) => waiting(one, 8)));
		const ada = person("ada");
		expect(await stops.stop(ada, await created(ada))).to.include({ status: "stopping" });
		stops.release();
		await Promise.all(stopped.flatMap(({ answers }) => answers));
	});

	it("answers before the time limit of the request", async () => {
		const ada = { ...person("ada"), deadline: now() + 700 };
		const id = await created(ada);
		expect(await stops.stop(ada, id)).to.include({ status: "stopping" });
		expect(await stops.stop({ ...ada, deadline: now() - 1_000 }, await created(ada))).to.include({
			status: "stopping",
		});
	});

	it("stores the final answer under the key, also if it is `stopping`", async () => {
		const impatient = new SessionStops(commands, records, { patienceMs: 1 });
		const ada = { ...person("ada"), key: "one" };
		const id = await created(person("ada"));
		const first = await impatient.stop(ada, id);
		expect(first).to.include({ status: "stopping" });
		await end(person("ada"), [id]);
		expect(await stops.stop(ada, id)).to.deep.equal(first);
	});

	it("waits again for the answer of a key after a crash", async () => {
		const ada = { ...person("ada"), key: "one" };
		const id = await created(person("ada"));
		await commands.run(ada, "stop", id);
		await end(person("ada"), [id]);
		const answer = await stops.stop(ada, id);
		expect(answer).to.include({ status: "archived" });
		await commands.run(person("ada"), "restore", id);
		expect(await stops.stop(ada, id), "and again").to.deep.equal(answer);
	});
});
