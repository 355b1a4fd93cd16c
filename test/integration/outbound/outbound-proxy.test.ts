/** Outbound requests through a proxy: the proxy gets the checked address, and the server its name and its certificate's. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { loadConfig } from "#shared/config/config.ts";
import { UnprocessableError, UpstreamError } from "#shared/base/errors.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { makeCertificate } from "../../support/bus/test-certificates.ts";
import { failureOf } from "../../support/failure-of.ts";
import { useFolder } from "../../support/use-folder.ts";
import { listenOnLoopback, loopbackUrl } from "../../support/machine/loopback-server.ts";

const config = loadConfig({}).outbound;
const publicAddress = "140.82.121.4";

describe("outbound requests through a proxy", () => {
	const folder = useFolder();
	const asked: string[] = [];
	let server: SecureServer;
	let proxy: Server;
	let certificate: string;
	let usual: string[];
	let hosts: (string | undefined)[];

	beforeEach(async () => {
		const files = makeCertificate(folder(), "server");
		certificate = readFileSync(files.cert, "utf8");
		hosts = [];
		asked.length = 0;
		server = createSecureServer({ cert: certificate, key: readFileSync(files.key) }, (request, response) => {
			hosts.push(request.headers.host);
			response.end("hello");
		});
		await listenOnLoopback(server);
		proxy = createServer((_request, response) => response.writeHead(400).end());
		proxy.on("connect", ({ url = "" }: IncomingMessage, socket: Duplex) => {
			asked.push(url);
			const tunnel = connect((server.address() as AddressInfo).port, "127.0.0.1", () => {
				socket.write("HTTP/1.1 200 OK\r\n\r\n");
				tunnel.pipe(socket).pipe(tunnel);
			});
			tunnel.on("error", () => socket.destroy());
			socket.on("error", () => tunnel.destroy());
		});
		await listenOnLoopback(proxy);
		usual = getCACertificates("default");
	});

	afterEach(() => {
		setDefaultCACertificates(usual);
		server.closeAllConnections();
		server.close();
		proxy.closeAllConnections();
		proxy.close();
	});

	/** @param answers The answers of the name server, one after the other. */
	function proxied(answers: readonly string[][], proxyResolves = false): Outbound {
		const left = [...answers];
		const url = loopbackUrl(proxy);
		return new Outbound({ ...config, proxy: url, proxy_resolves: proxyResolves }, async () => left.shift() ?? []);
	}

	it("go to the address that was checked, under the server's name", async () => {
		setDefaultCACertificates([certificate]);
		const outbound = proxied([[publicAddress]]);
		const { body } = await outbound.send({ url: "https://server.example/x" });
		outbound.close();
		expect(body.toString()).to.equal("hello");
		expect([asked, hosts]).to.deep.equal([[`${publicAddress}:443`], ["server.example"]]);
	});

	it("check the certificate for the name of the URL", async () => {
		setDefaultCACertificates([certificate]);
		const outbound = proxied([[publicAddress], [publicAddress]]);
		expect(await failureOf(outbound.send({ url: "https://another.example/" }))).to.be.instanceOf(UpstreamError);
		setDefaultCACertificates(usual);
		expect(await failureOf(outbound.send({ url: "https://server.example/" }))).to.be.instanceOf(UpstreamError);
		outbound.close();
		expect(hosts).to.deep.equal([]);
	});

	it("are refused when the name has another address the next time", async () => {
		setDefaultCACertificates([certificate]);
		const outbound = proxied([[publicAddress], ["127.0.0.1"]]);
		await outbound.send({ url: "https://server.example/x" });
		expect(await failureOf(outbound.send({ url: "https://server.example/x" }))).to.be.instanceOf(UnprocessableError);
		outbound.close();
		expect(hosts).to.have.length(1);
	});

	it("leave the name to a proxy that resolves, but no private address or name", async () => {
		setDefaultCACertificates([certificate]);
		const outbound = proxied([], true);
		await outbound.send({ url: "https://server.example/x" });
		for (const url of ["https://127.0.0.1/", "https://metadata.google.internal/", "https://nats/"])
			expect(await failureOf(outbound.send({ url })), url).to.be.instanceOf(UnprocessableError);
		outbound.close();
		expect(asked).to.deep.equal(["server.example:443"]);
	});
});
