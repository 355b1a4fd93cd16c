/**
 * Gateways that get other addresses, as containers do that are made again: a real haproxy with the settings of config/haproxy
 * and the nameserver that docker-compose.yml names finds them.
 */
import { expect } from "chai";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { Haproxy } from "../../support/rolling/haproxy.ts";
import { TestNameserver } from "../../support/rolling/test-nameserver.ts";

const names = ["gateway-1", "gateway-2"];
const former = ["127.0.0.2", "127.0.0.3"];
const later = ["127.0.0.4", "127.0.0.5"];

describe("haproxy with a nameserver", function () {
	this.timeout(120_000);
	let all: AsyncDisposableStack;
	let nameserver: TestNameserver;
	let port: number;
	let gateways: Server[];

	/** Starts gateways that answer with their address; they are the only ones. */
	async function gatewaysAt(addresses: readonly string[]): Promise<void> {
		for (const server of gateways) {
			server.closeAllConnections();
			server.close();
		}
		gateways = addresses.map((address) => createServer((_, response) => response.end(address)).listen(port, address));
		await Promise.all(gateways.map((server) => once(server, "listening")));
	}

	function name(addresses: readonly string[]): void {
		for (const [index, address] of addresses.entries()) nameserver.addresses.set(names[index] ?? "", address);
	}

	async function answer(proxy: Haproxy): Promise<string> {
		const response = await fetch(proxy.url);
		return `${response.status} ${await response.text()}`;
	}

	/** Starts haproxy, which has the names of the gateways in place of their addresses. */
	async function start(): Promise<Haproxy> {
		const change = (settings: string) =>
			names.reduce(
				(text, host) => text.replaceAll(new RegExp(`(${host}\\S*) \\S+:${port}`, "g"), `$1 ${host}:${port}`),
				settings,
			);
		// The resolver of the machine knows no such name, and may take long to say so.
		const env = { ATELIER_NAMESERVER: nameserver.place, RES_OPTIONS: "timeout:1 attempts:1" };
		return all.use(await Haproxy.start([port, port], { change, env }));
	}

	beforeEach(async () => {
		all = new AsyncDisposableStack();
		gateways = [];
		nameserver = all.use(await TestNameserver.start());
		port = await freePort();
		all.defer(() => gatewaysAt([]));
		await gatewaysAt(former);
		name(former);
	});
	afterEach(() => all.disposeAsync());

	it("finds gateways at other addresses", async () => {
		const proxy = await start();
		expect(await answer(proxy)).to.match(/^200 127\.0\.0\.[23]$/);
		await gatewaysAt(later);
		name(later);
		const answersAgain = async () => /^200 127\.0\.0\.[45]$/.test(await answer(proxy));
		await eventually(answersAgain, { withinMs: 15_000, what: "haproxy finds the gateways" });
	});

	it("keeps the addresses of names that are not known any more", async () => {
		const proxy = await start();
		nameserver.addresses.clear();
		const before = nameserver.answered;
		await eventually(() => nameserver.answered > before + 12, { withinMs: 60_000, what: "haproxy has asked often" });
		expect(await answer(proxy)).to.match(/^200 127\.0\.0\.[23]$/);
	});
});
