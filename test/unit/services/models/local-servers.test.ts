import { expect } from "chai";
import { once } from "node:events";
import { createServer } from "node:net";
import { LocalServers } from "#services/models/local-servers.ts";
import { freePort } from "../../../support/machine/free-port.ts";

describe("LocalServers", () => {
	const provider = (id: string, port: number, location: "local" | "cloud" = "local") => ({
		id,
		location,
		key_env: "",
		endpoints: { "openai-chat": `http://127.0.0.1:${port}/v1` },
	});

	it("names the local server that does not run with its address, and neither the one that does nor one in the cloud", async () => {
		const server = createServer().listen(0, "127.0.0.1");
		await once(server, "listening");
		const { port } = server.address() as { port: number };
		const free = await freePort();
		const away = await new LocalServers([
			provider("running", port),
			provider("ended", free),
			provider("far", free, "cloud"),
		]).away();
		server.close();
		expect([...away.keys()]).to.deep.equal(["ended"]);
		expect(away.get("ended")).to.equal(
			`Provider "ended" at http://127.0.0.1:${free} cannot be reached: ECONNREFUSED (nothing listens there: start its server, or choose another model)`,
		);
	});
});
