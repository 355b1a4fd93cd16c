import { expect } from "chai";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { eventually } from "../../support/eventually.ts";
import { TcpProxy } from "../../support/machine/tcp-proxy.ts";
import { listenOnLoopback } from "../../support/machine/loopback-server.ts";

/** A connection that remembers what it has heard. */
class Talker {
	readonly socket: Socket;
	heard = "";

	constructor(socket: Socket) {
		this.socket = socket;
		socket.on("error", () => socket.destroy());
		socket.on("data", (bytes: Buffer) => (this.heard += bytes.toString()));
	}

	hears(text: string): Promise<boolean> {
		return eventually(() => this.heard === text, { what: `"${text}" is heard` });
	}
}

describe("the TCP proxy of tests", () => {
	let server: Server;
	let proxy: TcpProxy;
	/** The server's ends of all connections, the newest last. */
	let ends: Talker[];

	beforeEach(async () => {
		ends = [];
		server = createServer((socket) => ends.push(new Talker(socket)));
		await listenOnLoopback(server);
		const translate = (bytes: Buffer) => Buffer.from(bytes.toString().replaceAll("there", "here!"));
		proxy = await TcpProxy.listen((server.address() as AddressInfo).port, { translate });
	});

	afterEach(async () => {
		await proxy[Symbol.asyncDispose]();
		server.close();
	});

	async function open(): Promise<{ near: Talker; far: Talker }> {
		const count = ends.length;
		const near = new Talker(connect(proxy.port, "127.0.0.1"));
		return { near, far: await eventually(() => ends[count]) };
	}

	it("passes bytes both ways, translates answers, and passes on an end", async () => {
		const { near, far } = await open();
		near.socket.write("over there");
		await far.hears("over there");
		far.socket.write("over there");
		await near.hears("over here!");
		near.socket.end();
		await eventually(() => far.socket.closed);
	});

	it("holds bytes back one way, and passes them late and in order", async () => {
		const { near, far } = await open();
		proxy.hold(["up"]);
		near.socket.write("a");
		near.socket.write("b");
		far.socket.write("c");
		await near.hears("c");
		expect(far.heard).to.equal("");
		proxy.pass();
		await far.hears("ab");
	});

	it("swallows bytes, and resets connections that lost some when it passes again", async () => {
		const [{ near, far }, other] = [await open(), await open()];
		proxy.swallow(["down"]);
		near.socket.write("asked");
		await far.hears("asked");
		far.socket.write("answered");
		other.near.socket.write("x");
		await other.far.hears("x");
		await eventually(() => proxy.lost > 0);
		proxy.pass();
		await eventually(() => near.socket.closed && far.socket.closed);
		expect(near.heard).to.equal("");
		other.far.socket.write("y");
		await other.near.hears("y");
	});

	it("refuses: existing connections end, and new ones end at once, until it passes again", async () => {
		const { near } = await open();
		proxy.refuse();
		await eventually(() => near.socket.closed);
		const refused = new Talker(connect(proxy.port, "127.0.0.1"));
		await eventually(() => refused.socket.closed);
		expect(ends.length).to.equal(1);
		proxy.pass();
		const { near: again, far } = await open();
		far.socket.write("z");
		await again.hears("z");
	});

	it("cuts one answer after some bytes", async () => {
		const { near, far } = await open();
		proxy.cutAfter(4);
		far.socket.write("123");
		await near.hears("123");
		far.socket.write("456");
		await eventually(() => near.socket.closed && far.socket.closed);
		expect(proxy.cuts).to.equal(1);
		const next = await open();
		next.far.socket.write("1234567");
		await next.near.hears("1234567");
	});

	it("delays what it passes", async () => {
		const { near, far } = await open();
		proxy.delay(100);
		const since = performance.now();
		near.socket.write("late");
		await far.hears("late");
		expect(performance.now() - since).to.be.at.least(95);
	});
});
