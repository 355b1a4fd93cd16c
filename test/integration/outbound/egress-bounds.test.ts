/** The bounds of the way out of one session: what one uses up, another one has still. */
import { expect } from "chai";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, BlockList, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bound } from "#shared/base/bounds.ts";
import type { EgressDependencies } from "#shared/net/egress/egress-connections.ts";
import { EgressProxy } from "#shared/net/egress/egress-proxy.ts";
import { loopbackDial } from "../../support/clients/loopback-dial.ts";
import { tunnelTo } from "../../support/clients/proxy-tunnel.ts";
import { eventually } from "../../support/eventually.ts";

type Resolve = NonNullable<EgressDependencies["resolve"]>;
const here: Resolve = { public: async () => ["127.0.0.1"], known: async () => ["127.0.0.1"] };

describe("the bounds of the way out of a session", () => {
	const folder = mkdtempSync(join(tmpdir(), "atelier-egress-bounds-"));
	let target: Server;
	let port = 0;
	const authority = () => `git.company.example:${port}`;

	before(async () => {
		target = createServer((_request, response) => void response.end("here"));
		target.listen(0, "127.0.0.1");
		await once(target, "listening");
		({ port } = target.address() as AddressInfo);
	});
	after(() => {
		target.close();
		target.closeAllConnections();
		rmSync(folder, { recursive: true });
	});

	/** Runs the work with the socket of a session's proxy, which may reach this machine. */
	async function withSession(name: string, resolve: Resolve, work: (at: string) => Promise<void>): Promise<void> {
		const proxy = new EgressProxy({
			rules: () => [{ profile: "default", allowed: [], internal: [], ports: [port] }],
			refused: new BlockList(),
			dial: loopbackDial(),
			onRefused() {},
			resolve,
			addressRefusal: () => undefined,
		});
		const at = join(folder, `${name}.sock`);
		await proxy.listen(at);
		try {
			await work(at);
		} finally {
			proxy.close();
		}
	}

	it("looks up few names of a session at a time, and those of another session at once", async () => {
		let underWay = 0;
		let most = 0;
		const silent = Promise.withResolvers<string[]>();
		const waits = async () => {
			most = Math.max(most, ++underWay);
			return silent.promise.finally(() => underWay--);
		};
		const asked = bound.egressLookups * 3;
		const resolve = { public: waits, known: waits };
		await withSession("many", resolve, async (at) =>
			withSession("other", here, async (other) => {
				const answers = Array.from({ length: asked }, (_one, index) => tunnelTo(at, `name${index}.example:${port}`));
				await eventually(() => underWay === bound.egressLookups, { withinMs: 5_000, what: "names are looked up" });
				const { status, socket } = await tunnelTo(other, authority());
				expect(status).to.equal(200);
				socket.destroy();
				silent.resolve([]);
				expect((await Promise.all(answers)).map(({ status: each }) => each)).to.deep.equal(answers.map(() => 502));
			}),
		);
		expect(most).to.equal(bound.egressLookups);
	});

	it("tells the client of one connection too many, however it asks, until another one has ended", async () => {
		await withSession("full", here, async (at) => {
			const open = await Promise.all(Array.from({ length: bound.egressConnections }, () => tunnelTo(at, authority())));
			expect(new Set(open.map(({ status }) => status))).to.deep.equal(new Set([200]));
			const words = `The connection to ${authority()} is refused: a session has at most 128 connections at a time\n`;
			expect(await tunnelTo(at, authority())).to.include({ status: 503, text: words });
			const client = connect({ path: at });
			const request = `GET http://${authority()}/ HTTP/1.1\r\nHost: git\r\n\r\n`;
			client.write(request.repeat(3));
			let answers = "";
			client.on("data", (chunk) => (answers += String(chunk)));
			await eventually(() => answers.split(words).length === 4, { withinMs: 5_000, what: "each request is refused" });
			client.destroy();
			open[0]?.socket.destroy();
			await eventually(async () => {
				const { status, socket } = await tunnelTo(at, authority());
				socket.destroy();
				return status === 200;
			});
		});
	});
});
