import { expect } from "chai";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import {
	EngineAway,
	EngineClient,
	EngineRefusal,
} from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { failureOf } from "../../../../../support/failure-of.ts";
import { useFolder } from "../../../../../support/use-folder.ts";

describe("EngineClient", () => {
	const root = useFolder();
	let server: Server;
	let client: EngineClient;
	let status: number;

	beforeEach(async () => {
		server = createServer((_request, response) => {
			response.writeHead(status, { "content-type": "application/json" }).end('{"message":"its own words"}');
		});
		const socket = join(root(), "engine.sock");
		server.listen(socket);
		await once(server, "listening");
		client = new EngineClient(socket);
	});
	afterEach(() => {
		client.close();
		server.close();
	});

	const calls: Readonly<Record<string, () => Promise<unknown>>> = {
		call: () => client.call({ method: "GET", path: "/containers/json" }),
		read: () => client.read("/containers/x/logs", {}),
		stream: () => client.stream("/events", {}, AbortSignal.timeout(5_000)),
	};
	for (const [name, ask] of Object.entries(calls))
		it(`takes an engine that its filter does not reach for one that is away (${name})`, async () => {
			for (status of [502, 504]) {
				const away = await failureOf<EngineAway>(ask());
				expect(away).to.be.an.instanceOf(EngineAway);
				expect(away.message).to.include("does not reach its container engine: its own words");
			}
			for (status of [404, 500, 503]) expect(await failureOf(ask()), String(status)).to.be.an.instanceOf(EngineRefusal);
		});
});
