/** The way out of a launch at its real socket: what the operator refuses holds for it. */
import { expect } from "chai";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { LaunchEgress, operatorRules } from "#services/pod-manager/pod-runtimes/containers/launch-egress.ts";
import { RunFolders } from "#services/pod-manager/pod-runtimes/local-process/run-folders.ts";
import { refusedNetworks } from "#shared/net/outbound/outbound-rules.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

const launch = { sessionId: "3f0c2a11-0000-4000-8000-000000000001", generation: 1 };

describe("the way out of a launch", () => {
	const folder = mkdtempSync(join(tmpdir(), "atelier-launch-egress-"));
	const socketPath = join(folder, "egress.sock");
	const all = new AsyncDisposableStack();
	const told: string[] = [];

	before(async () => {
		const runs = new RunFolders(join(folder, "run"));
		await mkdir(runs.path(launch), { recursive: true });
		const operator = operatorRules({ profile: "default", allowed: [], internal: [] });
		const egress = new LaunchEgress(runs, operator, refusedNetworks(["93.184.216.0/24", "2606:2800::/32"]));
		await egress.keep(launch, podSpecFor(launch.sessionId, launch.generation));
		const proxy = await egress.open(launch, socketPath, (sentence) => void told.push(sentence));
		all.defer(() => proxy.close());
	});
	after(async () => {
		await all.disposeAsync();
		rmSync(folder, { recursive: true });
	});

	async function answerOf(authority: string): Promise<{ status: number | undefined; words: string }> {
		const outgoing = httpRequest({ socketPath, method: "CONNECT", path: authority, agent: false });
		outgoing.end();
		const [answer, socket, head] = (await once(outgoing, "connect")) as [IncomingMessage, Socket, Buffer];
		return { status: answer.statusCode, words: `${head.toString()}${await text(socket)}`.trim() };
	}

	it("does not lead to the networks that the operator refuses to all outgoing requests", async () => {
		for (const host of ["93.184.216.34", "[2606:2800::1]"]) {
			const shown = host.replace(/[[\]]/g, "");
			const refusal = `${shown}:443 is refused: the operator refuses its network (outbound.refuse)`;
			expect(await answerOf(`${host}:443`)).to.deep.equal({ status: 403, words: `The connection to ${refusal}` });
		}
		expect(told).to.have.length(2);
	});
});
