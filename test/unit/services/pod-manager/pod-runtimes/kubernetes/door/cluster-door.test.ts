import { expect } from "chai";
import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { clusterDoor } from "#services/pod-manager/pod-runtimes/kubernetes/door/cluster-door.ts";
import { bound } from "#shared/base/bounds.ts";
import { eventually } from "../../../../../../support/eventually.ts";
import { listenOnLoopback, loopbackUrl } from "../../../../../../support/machine/loopback-server.ts";

describe("the door of a cluster", () => {
	let door: Server;
	let url: string;
	const reported: string[] = [];
	const asked: string[] = [];
	const failures: string[] = [];
	/** The signals of reports that hang. */
	const hanging: AbortSignal[] = [];

	beforeEach(async () => {
		for (const list of [reported, failures, hanging]) list.splice(0);
		door = clusterDoor({
			launch: async (token, earlier) => {
				asked.push(...earlier);
				if (token === "away") throw new Error("The cluster does not answer");
				if (token === "over") return "over";
				return token === "good" ? { document: '{"launch":1}' } : "refused";
			},
			report: async (token, status, signal) => {
				if (token === "broken") throw new SyntaxError("This is no status");
				if (token === "away") throw new Error("The cluster does not answer");
				if (token === "hanging") {
					hanging.push(signal);
					await new Promise(() => {});
				}
				reported.push(status.toString());
				return token === "good";
			},
			isOfLaunch: (token) => token === "good",
			failed: (question, error) => failures.push(`${question}: ${String(error)}`),
		});
		await listenOnLoopback(door);
		url = loopbackUrl(door);
	});
	afterEach(() => {
		door.close();
		door.closeAllConnections();
	});

	async function post(path: string, token?: string, body?: string): Promise<[number, string]> {
		const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
		const answer = await fetch(url + path, { method: "POST", headers, ...(body !== undefined && { body }) });
		return [answer.status, await answer.text()];
	}

	it("gives launches and takes statuses", async () => {
		expect(await post("/launch", "good")).to.deep.equal([200, '{"launch":1}']);
		expect(await post("/launch", "over")).to.deep.equal([409, ""]);
		expect(await post("/launch", "other")).to.deep.equal([401, ""]);
		expect(await post("/launch", "away")).to.deep.equal([503, ""]);
		expect(await post("/status", "good", "{}")).to.deep.equal([204, ""]);
		expect(await post("/status", "other", "{}")).to.deep.equal([401, ""]);
		expect(await post("/status", "broken", "{}")).to.deep.equal([400, ""]);
	});

	it("passes on the sessions that a pod has records of, and nothing of another form", async () => {
		const id = "00000000-0000-4000-8000-000000000001";
		expect(await post("/launch", "good", JSON.stringify({ sessions: [id] }))).to.deep.equal([200, '{"launch":1}']);
		for (const body of ["{", "7", '{"sessions":["../x"]}', `{"sessions":${JSON.stringify(Array(201).fill(id))}}`])
			expect(await post("/launch", "good", body), body.slice(0, 20)).to.deep.equal([200, '{"launch":1}']);
		expect(asked).to.deep.equal([id]);
		expect(await post("/launch", "good", " ".repeat(16_385))).to.deep.equal([400, ""]);
	});

	it("tells the operator why it has answered nothing, and nothing that a pod can choose", async () => {
		expect((await post("/launch", "away"))[0]).to.equal(503);
		expect((await post("/status", "away", "{}"))[0]).to.equal(503);
		const own = ["launch: Error: The cluster does not answer", "status: Error: The cluster does not answer"];
		expect(failures).to.deep.equal(own);
		for (const token of ["other", "broken", "over"]) {
			await post("/launch", token);
			await post("/status", token, "{}");
		}
		await post("/status", "good", "x".repeat(20_000));
		expect(failures).to.deep.equal(own);
	});

	it("ends the keeping of a status before the agent gives it up, and when the agent does so", async () => {
		const begun = performance.now();
		expect((await post("/status", "hanging", "{}"))[0]).to.equal(503);
		expect(performance.now() - begun).to.be.within(3_500, 12_000);
		expect(hanging[0]?.aborted).to.equal(true);
		expect(failures).to.deep.equal(["status: Error: The cluster has not kept it within 4 s"]);
		const gone = new AbortController();
		const headers = { authorization: "Bearer hanging" };
		const asking = fetch(`${url}/status`, { method: "POST", headers, body: "{}", signal: gone.signal });
		asking.catch(() => {});
		await eventually(() => hanging.length === 2);
		gone.abort();
		await eventually(() => hanging[1]?.aborted, { withinMs: 2_000, what: "the second one ends" });
		expect(failures, "nobody waits any more").to.have.length(1);
	});

	it("answers nothing else, and nobody without a token", async () => {
		expect((await post("/launch"))[0]).to.equal(401);
		expect((await post("/launch", "x".repeat(9_000)))[0]).to.equal(401);
		for (const path of ["/", "/model/anthropic", "/constructor", "/api/v1/svc/sessions"])
			expect((await post(path, "good"))[0], path).to.equal(404);
		expect((await fetch(`${url}/launch`)).status).to.equal(404);
	});

	it("reads no status that is too large", async () => {
		expect((await post("/status", "good", "x".repeat(20_000)))[0]).to.equal(400);
		expect(reported).to.deep.equal([]);
	});

	it("lets an address ask so often only", async () => {
		const statuses: number[] = [];
		for (let n = 0; n < bound.podReportBurst + 10; n++) statuses.push((await post("/launch", "good"))[0]);
		expect(statuses[0]).to.equal(200);
		expect(statuses).to.include(503);
	});

	it("closes the connections of an address beyond its share, and serves others", async () => {
		const { port } = door.address() as AddressInfo;
		const opened = Array.from({ length: bound.clusterDoorConnectionsOfPod + 10 }, () =>
			connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" }).on("error", () => {}),
		);
		try {
			await Promise.all(opened.map((socket) => once(socket, "connect")));
			for (const socket of opened) socket.write("POST /status HTTP/1.1\r\n");
			await eventually(() => opened.filter(({ closed }) => closed).length === 10, { what: "ten of them are closed" });
			expect(await post("/launch", "good")).to.deep.equal([200, '{"launch":1}']);
		} finally {
			for (const socket of opened) socket.destroy();
		}
		const isFree = async () => {
			const again = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" }).on("error", () => {});
			again.end("POST /x HTTP/1.1\r\nHost: door\r\nConnection: close\r\n\r\n");
			return (await text(again)).includes(" 404 ");
		};
		await eventually(isFree, { what: "the share is free again" });
	});

	it("takes the reports of an agent while other programs at its address have used up theirs", async () => {
		expect(await reportsUntilRefused("guessed", 401)).to.be.above(0);
		expect(await reportsUntilRefused("good", 204), "it has its own pace").to.be.least(bound.podReportBurst);
	});

	/** Resolves to the number of reports before one is refused. A slow machine allows more in the meantime, so that several are sent at once. */
	async function reportsUntilRefused(token: string, usual: number): Promise<number> {
		for (let sent = 0; sent < 20 * bound.podReportBurst; sent += 8) {
			const statuses = await Promise.all(Array.from({ length: 8 }, () => post("/status", token, "{}")));
			const refused = statuses.filter(([status]) => status === 503).length;
			expect(statuses.filter(([status]) => status === usual)).to.have.length(8 - refused);
			if (refused > 0) return sent + 8 - refused;
		}
		return Number.NaN;
	}
});
