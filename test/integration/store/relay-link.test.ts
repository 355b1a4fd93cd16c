/** The link of a process that stores without `event-log` to one that runs it, over a bus. */
import { expect } from "chai";
import type { ServiceBroker } from "moleculer";
import { eventLogService } from "#services/event-log/event-log.service.ts";
import { relayLink } from "#host/relay-link.ts";
import { auditCheckpointCollection, auditLogCollection } from "#shared/store/audit/audit-collections.ts";
import { on } from "#shared/bus/service.ts";
import { outboxWritten } from "#shared/contracts/event-log.ts";
import {
	eventLogCollection,
	eventLogNameCollection,
	eventLogReaderCollection,
} from "#shared/store/event-log/event-log-collection.ts";
import { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import { StoredLeases } from "#shared/store/leases/stored-leases.ts";
import type { Part, Platform } from "#host/platform.ts";
import { defineCollection } from "#shared/store/collection.ts";
import { type Nodes, startNodes } from "../../support/bus/test-brokers.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { testPlatform } from "../../support/platform/start-gateway.ts";
import { logsOn } from "../../support/stores/logs-on.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";

const things = defineCollection("things", { rev: "integer" }, {}, { hasOutbox: true });
const collections = [
	things,
	eventLogCollection,
	eventLogNameCollection,
	eventLogReaderCollection,
	leaseCollection,
	auditLogCollection,
	auditCheckpointCollection,
];

describe("the link of a process without event-log", function () {
	this.timeout(30_000);
	let opened: Awaited<ReturnType<typeof openEmbedded>>;
	let platform: Platform;
	let linked: ReturnType<typeof processOn>;
	let part: Part;
	let nodes: Nodes | undefined;

	beforeEach(async () => {
		opened = await openEmbedded(collections);
		const plain = testPlatform({});
		platform = { ...plain, config: { ...plain.config, bus: { ...plain.config.bus, url: "nats://127.0.0.1:1" } } };
		linked = processOn(opened);
	});
	afterEach(async () => {
		await nodes?.stop();
		nodes = undefined;
		await part.close?.();
		await opened.discard();
	});

	function processOn({ store }: typeof opened) {
		const logs = logsOn(store);
		const relay = new OutboxRelay(store, logs, [things], () => {});
		relay.share(new StoredLeases(store));
		return { relay, eventLog: logs.events, auditLog: logs.audit };
	}

	/** Starts the linked process; the other node runs nothing yet. */
	async function startLink(): Promise<ServiceBroker> {
		part = relayLink(platform, linked);
		nodes = await startNodes(2, part.services);
		return nodes.near;
	}

	it("is not ready before another process runs event-log, and is ready then", async () => {
		const other = await startLink();
		const check = platform.readiness.get("relay");
		if (!check) return expect.fail();
		expect(String(await failureOf(check()))).to.include('nobody runs "event-log", so events wait in the store');
		const { eventLog, relay } = processOn(opened);
		other.createService(eventLogService(eventLog, relay));
		await eventually(async () => check().then(() => true));
	});

	it("tells that process what was written, and is told of the moves that somebody here follows", async () => {
		let moves = 0;
		linked.relay.onAppended(() => moves++);
		const other = await startLink();
		const { eventLog, relay } = processOn(opened);
		const hints: boolean[] = [];
		other.createService({ name: "ear", events: on(outboxWritten, ({ all }) => void hints.push(all)) });
		other.createService(eventLogService(eventLog, relay));
		await eventually(() => relay.isLeading);
		await opened.store.insert(things, { id: "a", wire: "{}", rev: 1 }, [
			{ n: 1, type: "session_updated", data: "{}", audience: { tenant: "t" }, at: 1 },
		]);
		// The nodes may not know each other's services yet: hints are given until one has arrived.
		await eventually(() => {
			linked.relay.wakeAll();
			return hints.includes(true) && moves > 0;
		});
		expect((await eventLog.head()).seq).to.equal(1);
	});

	it("hears of no moves when nobody in its process follows them", async () => {
		await startLink();
		expect(part.services.map(({ events }) => Object.keys(events ?? {}))).to.deep.equal([[]]);
	});

	it("signs at its end what this process itself has entered into the audit log", async () => {
		await startLink();
		const facts = {
			time: "2026-01-01T00:00:00Z",
			actor: { kind: "user", id: "a" },
			action: "x",
			outcome: "read",
		} as const;
		await linked.auditLog.append([{ tenant: "t", key: "k", facts }]);
		expect(await linked.auditLog.checkpoints("t", 0, 10)).to.have.length(0);
		await part.close?.();
		expect(await linked.auditLog.checkpoints("t", 0, 10)).to.have.length(1);
	});

	it("checks nothing without a bus, because such a process has no events", async () => {
		const alone = testPlatform({});
		part = relayLink(alone, linked);
		expect([...alone.readiness.keys()]).to.deep.equal([]);
	});
});
