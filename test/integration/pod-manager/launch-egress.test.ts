/** The way out of a launch at its real socket: what the operator refuses holds for it, and its owner is told. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	LaunchEgress,
	type OpenedEgress,
	operatorRules,
} from "#services/pod-manager/pod-runtimes/containers/launch-egress.ts";
import { RunFolders } from "#services/pod-manager/pod-runtimes/machine/run-folders.ts";
import { refusedNetworks } from "#shared/net/outbound/outbound-rules.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { loopbackDial } from "../../support/clients/loopback-dial.ts";
import { tunnelTo } from "../../support/clients/proxy-tunnel.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

const launch = { sessionId: "3f0c2a11-0000-4000-8000-000000000001", generation: 1 };

describe("the way out of a launch", () => {
	const folder = mkdtempSync(join(tmpdir(), "atelier-launch-egress-"));
	let opened: OpenedEgress;
	let metrics: Metrics;
	let egress: LaunchEgress;
	let changes = 0;
	let socketPath = "";
	/** The addresses to which it would have connected; nothing leaves this machine. */
	const dialled: string[] = [];

	before(async () => {
		const runs = new RunFolders(join(folder, "run"));
		await mkdir(runs.path(launch), { recursive: true });
		metrics = new Metrics();
		const rules = operatorRules({ profile: "default", allowed: [], internal: [] });
		const refused = refusedNetworks(["93.184.216.0/24", "2606:2800::/32"]);
		egress = new LaunchEgress(runs, { rules, refused, dial: loopbackDial(dialled) }, metrics);
		await egress.keep(launch, podSpecFor(launch.sessionId, launch.generation));
	});
	beforeEach(async () => {
		changes = 0;
		dialled.length = 0;
		socketPath = join(folder, `${randomUUID()}.sock`);
		opened = await egress.open(launch, socketPath, () => void changes++);
	});
	afterEach(() => opened.proxy.close());
	after(() => rmSync(folder, { recursive: true }));

	async function answerOf(authority: string): Promise<{ status: number; words: string }> {
		const { status, text } = await tunnelTo(socketPath, authority);
		return { status, words: text.trim() };
	}

	it("does not lead to the networks that the operator refuses to all outgoing requests", async () => {
		for (const host of ["93.184.216.34", "[2606:2800::1]"]) {
			const shown = host.replace(/[[\]]/g, "");
			const refusal = `${shown}:443 is refused: the operator refuses its network (outbound.refuse)`;
			expect(await answerOf(`${host}:443`)).to.deep.equal({ status: 403, words: `The connection to ${refusal}` });
		}
		expect(dialled).to.deep.equal([]);
		expect(opened.notes.sentences).to.have.length(2);
		expect(changes).to.equal(2);
	});

	it("leads to the public addresses of other networks", async () => {
		expect((await answerOf("93.184.215.34:443")).status).to.equal(502);
		expect(dialled).to.deep.equal(["93.184.215.34"]);
	});

	it("counts what was refused by its reason", async () => {
		await answerOf("10.0.0.1:443");
		await answerOf("10.0.0.1:443");
		await answerOf("10.0.0.1:25");
		const shown = await exposition(metrics);
		expect(shown).to.include('atelier_egress_refused_total{reason="address"} 2\n');
		expect(shown).to.include('atelier_egress_refused_total{reason="port"} 1\n');
	});

	it("names the first ten servers of a launch, also after another process has taken over, and counts further ones", async () => {
		for (let number = 1; number <= 10; number++) await answerOf(`10.0.0.${number}:443`);
		expect(opened.notes.sentences).to.have.length(10);
		await egress.keepNotes(launch, opened.notes);
		opened.proxy.close();
		opened = await egress.open(launch, join(folder, "next.sock"), () => void changes++);
		socketPath = join(folder, "next.sock");
		const named = opened.notes.sentences;
		expect(named[0]).to.equal("The connection to 10.0.0.1:443 was refused: its address is not a public one");
		changes = 0;
		for (let number = 11; number <= 30; number++) await answerOf(`10.0.0.${number}:443`);
		await answerOf("10.0.0.1:443");
		expect(opened.notes.sentences).to.deep.equal([...named, "10 or more further connections were refused"]);
		expect(changes).to.equal(2);
	});
});
