import { expect } from "chai";
import { DiffBusyError } from "#agent/workspace/diff/diff-errors.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { AgentServer } from "#agent/server/agent-server.ts";
import { RequestGuard } from "#agent/server/request-guard.ts";

const key = "the-key-of-the-platform";

describe("AgentServer", () => {
	let server: AgentServer;
	let log: LogBuffer;

	beforeEach(async () => {
		log = new LogBuffer([]);
		server = await AgentServer.listen(new RequestGuard(key), log);
	});
	afterEach(() => server.close());

	async function get(path: string, authorization = `Bearer ${key}`): Promise<[status: number, body: unknown]> {
		const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { authorization } });
		return [response.status, await response.json()];
	}

	function fail(error: Error): () => never {
		return () => {
			throw error;
		};
	}

	it("answers 503 until it serves, and tells strangers nothing", async () => {
		expect(await get("/x")).to.deep.equal([503, { detail: "The pod is starting", type: "POD_STARTING" }]);
		expect((await get("/x", "Bearer another"))[0]).to.equal(401);
		server.serve({ routes: { "/x": () => "served" }, commands: {} });
		expect(await get("/x")).to.deep.equal([200, "served"]);
	});

	it("turns errors of the pod's modules into their status, type and sentence", async () => {
		server.serve({ routes: { "/x": fail(new DiffBusyError("Later")) }, commands: {} });
		expect(await get("/x")).to.deep.equal([503, { detail: "Later", type: "DIFF_BUSY" }]);
		expect(log.added).to.equal(0);
	});

	it("reveals of a fault only that there is one, and logs the rest", async () => {
		server.serve({ routes: { "/x": fail(new TypeError("inner words")) }, commands: {} });
		expect(await get("/x")).to.deep.equal([500, { detail: "The pod could not answer", type: "POD_FAULT" }]);
		expect(log.tail().lines.map(({ level, message }) => [level, message])).to.deep.equal([
			["ERROR", "A request failed: TypeError: inner words"],
		]);
	});
});
