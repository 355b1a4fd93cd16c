import { expect } from "chai";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { PipelinedRequests } from "#services/gateway/http/pipelined-requests.ts";
import { eventually } from "../../../../support/eventually.ts";

const many = 3_000;
/** A request is long enough that the many do not fit into one read of the socket. */
const padding = "p".repeat(100);

describe("PipelinedRequests", () => {
	let server: Server;
	let client: Socket;
	let received: string;
	/** The requests that have begun and are not answered, and all that have begun. */
	let open: ServerResponse[];
	let begun: string[];
	let arrived: number;
	let served: Socket | undefined;

	beforeEach(async () => {
		[open, begun, arrived, received] = [[], [], 0, ""];
		served = undefined;
		const pipelined = new PipelinedRequests();
		server = createServer((request, response) => {
			arrived++;
			served = request.socket;
			void Promise.resolve(pipelined.turn(request, response)).then((isThere) => {
				if (isThere === false) return;
				begun.push(request.url ?? "");
				open.push(response);
			});
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		client = connect((server.address() as AddressInfo).port, "127.0.0.1");
		client.on("data", (chunk) => (received += chunk.toString()));
		client.on("error", () => {});
	});
	afterEach(async () => {
		client.destroy();
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});

	function send(count: number, of = (n: number) => `GET /${n} HTTP/1.1\r\nHost: x\r\nX-P: ${padding}\r\n\r\n`): void {
		client.write(Array.from({ length: count }, (_, n) => of(n)).join(""));
	}

	function turn(): Promise<void> {
		return new Promise((resolve) => setImmediate(resolve));
	}

	function answerOpen(): void {
		for (const response of open.splice(0)) response.end("answer");
	}

	it("work on eight of a connection at a time, and read no more until these are answered", async () => {
		send(many);
		await eventually(() => begun.length === 8 && served?.isPaused() === true);
		expect(arrived, "of those that were sent").to.be.below(many / 2);
		let most = 0;
		const end = performance.now() + 20_000;
		for (; begun.length < many && performance.now() < end; await turn()) {
			most = Math.max(most, open.length);
			answerOpen();
		}
		answerOpen();
		await eventually(() => received.split("HTTP/1.1 200").length === many + 1);
		expect(most).to.equal(8);
		expect(begun, "in their order").to.deep.equal(Array.from({ length: many }, (_, n) => `/${n}`));
		send(1);
		await eventually(() => open.length === 1, { what: "the connection is read again" });
	});

	it("do no work for a connection that is gone", async () => {
		send(many);
		await eventually(() => begun.length === 8);
		client.resetAndDestroy();
		await eventually(() => {
			answerOpen();
			return served?.destroyed === true;
		});
		const { length: worked } = begun;
		answerOpen();
		await turn();
		expect(begun.length, "after the answers that found it gone").to.equal(worked).and.to.be.below(50);
	});

	it("close a connection with thousands of requests in one piece", async () => {
		const short = () => "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
		for (let round = 0; round < 40 && served?.destroyed !== true; round++) {
			send(1_000, short);
			served?.resume();
			await turn();
		}
		await eventually(() => served?.destroyed === true);
		expect(begun).to.have.length(8);
	});

	it("wait for bodies of requests that are worked on", async () => {
		send(8);
		client.write("POST /last HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n");
		await eventually(() => begun.length === 8);
		client.write("{}");
		answerOpen();
		await eventually(() => begun.length === 9);
		answerOpen();
		await eventually(() => received.split("HTTP/1.1 200").length === 10);
	});
});
