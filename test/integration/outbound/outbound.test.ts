/** Outbound requests to real servers that redirect, are slow, or answer without end. */
import { expect } from "chai";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { loadConfig } from "#shared/config/config.ts";
import { type ServiceError, TimeoutError, UnprocessableError, UpstreamError } from "#shared/base/errors.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { failureOf } from "../../support/failure-of.ts";
import { hostileAnswers, hostileUrls } from "../../support/hostile/hostile-urls.ts";
import { listenOnLoopback, loopbackUrl } from "../../support/machine/loopback-server.ts";

const config = loadConfig({}).outbound;

interface Seen {
	readonly method: string | undefined;
	readonly path: string;
	readonly headers: IncomingMessage["headers"];
}

/** A server outside, as its owner may have made it. */
class OtherServer {
	readonly seen: Seen[] = [];
	readonly #server: Server;

	constructor() {
		this.#server = createServer((request, response) => {
			const url = new URL(request.url ?? "/", "http://x");
			this.seen.push({ method: request.method, path: url.pathname, headers: request.headers });
			request.resume();
			(answers[url.pathname] ?? hello)(response, url);
		});
	}

	get origin(): string {
		return loopbackUrl(this.#server);
	}

	async open(): Promise<void> {
		await listenOnLoopback(this.#server);
	}

	close(): void {
		this.#server.closeAllConnections();
		this.#server.close();
	}
}

const megabyte = Buffer.alloc(1_048_576);
const compressed: Readonly<Record<string, Buffer>> = {
	gzip: gzipSync("hello"),
	"x-gzip": gzipSync("hello"),
	deflate: deflateSync("hello"),
	br: brotliCompressSync("hello"),
	identity: Buffer.from("hello"),
};

type Answer = (response: ServerResponse, url: URL) => void;

const answers: Readonly<Record<string, Answer>> = {
	"/redirect": (response, { searchParams }) =>
		response
			.writeHead(Number(searchParams.get("status") ?? 302), { location: searchParams.get("to") ?? "/redirect" })
			.end(),
	"/loop": (response) => response.writeHead(307, { location: "/loop" }).end(),
	"/packed"(response, { searchParams }) {
		const encoding = searchParams.get("encoding") ?? "identity";
		response.setHeader("content-encoding", encoding);
		response.end(compressed[encoding] ?? gzipSync(gzipSync("hello")));
	},
	"/bomb"(response) {
		response.setHeader("content-encoding", "gzip");
		response.end(gzipSync(Buffer.alloc(20 * 1_048_576)));
	},
	"/endless"(response) {
		response.on("drain", () => pourMore(response));
		pourMore(response);
	},
	"/silent"() {},
	"/drip": (response) => response.write("x"),
	"/headers"(response) {
		response.setHeader("x-large", "x".repeat(40_000));
		response.end();
	},
	"/cut"(response) {
		response.setHeader("content-length", "10");
		response.write("x", () => response.socket?.destroy());
	},
};

const hello: Answer = (response, { searchParams }) =>
	response.writeHead(Number(searchParams.get("status") ?? 200)).end("hello");

function pourMore(response: ServerResponse): void {
	while (!response.destroyed && response.write(megabyte));
}

describe("outbound requests", () => {
	const near = new OtherServer();
	const other = new OtherServer();
	const foreign = new OtherServer();
	let outbound: Outbound;

	before(async () => {
		for (const server of [near, other, foreign]) await server.open();
		outbound = new Outbound({ ...config, allow: [near.origin, other.origin] }, async () => []);
	});

	after(() => {
		outbound.close();
		for (const server of [near, other, foreign]) server.close();
	});

	/** Sends to the near server. */
	async function failure(path: string, options: { timeoutMs?: number; maxBytes?: number } = {}): Promise<ServiceError> {
		return failureOf<ServiceError>(outbound.send({ url: near.origin + path, ...options }));
	}

	describe("to a private place", () => {
		it("are refused for every hostile URL, and nothing is connected", async () => {
			const before = foreign.seen.length;
			const urls = [...hostileUrls, `${foreign.origin}/x`, `${foreign.origin.replace("http", "https")}/x`];
			const wrong: string[] = [];
			for (const url of urls) {
				const error = await failureOf(outbound.send({ url, timeoutMs: 5_000 }));
				if (!(error instanceof UnprocessableError)) wrong.push(`${url}: ${String(error)}`);
			}
			expect(wrong).to.deep.equal([]);
			expect(foreign.seen).to.have.length(before);
		});

		it("are refused whatever a name server answers, in the words for a name that does not exist", async () => {
			for (const addresses of hostileAnswers) {
				const guarded = new Outbound(config, async () => [...addresses]);
				const error = await failureOf<ServiceError>(guarded.send({ url: "https://server.example/" }));
				expect([error.type, error.message], String(addresses)).to.deep.equal([
					"URL_REFUSED",
					'The host "server.example" has no public address',
				]);
			}
		});

		it("are refused when a redirect names it", async () => {
			const before = foreign.seen.length;
			for (const to of [
				`${foreign.origin}/x`,
				"https://169.254.169.254/",
				"https://[::1]/",
				"file:///etc/passwd",
				"//x",
			]) {
				const error = await failure(`/redirect?to=${encodeURIComponent(to)}`);
				expect([error.constructor.name, error.type], to).to.deep.equal(["UnprocessableError", "URL_REFUSED"]);
			}
			expect(foreign.seen).to.have.length(before);
		});

		it("are possible for a URL of the configuration, but not for where it redirects", async () => {
			const { status } = await outbound.send({ url: `${foreign.origin}/x`, isConfigured: true });
			expect(status).to.equal(200);
			const closed = new Outbound(config);
			const url = `${foreign.origin}/redirect?to=${encodeURIComponent(`${near.origin}/x`)}`;
			expect(await failureOf(closed.send({ url, isConfigured: true }))).to.be.instanceOf(UnprocessableError);
			const own = `${foreign.origin}/redirect?to=/y`;
			expect(await closed.send({ url: own, isConfigured: true })).to.include({
				status: 200,
				url: `${foreign.origin}/y`,
			});
			closed.close();
		});
	});

	describe("that are redirected", () => {
		const headers = { "PRIVATE-TOKEN": "canary", Authorization: "Bearer canary", Accept: "text/plain" };

		it("take their headers to their own origin only", async () => {
			await outbound.send({ url: `${near.origin}/redirect?to=/mine`, headers });
			expect(near.seen.at(-1)?.headers).to.include({ "private-token": "canary", accept: "text/plain" });
			const url = `${near.origin}/redirect?to=${encodeURIComponent(`${other.origin}/theirs`)}`;
			const { body } = await outbound.send({ url, headers });
			expect(body.toString()).to.equal("hello");
			expect(other.seen.at(-1)?.path).to.equal("/theirs");
			expect(JSON.stringify(other.seen)).to.not.include("canary");
		});

		it("are followed three times, and not for methods that change something", async () => {
			expect((await failure("/loop")).type).to.equal("UPSTREAM_REDIRECTS");
			expect(near.seen.filter(({ path }) => path === "/loop")).to.have.length(4);
			const posted = await outbound.send({ url: `${near.origin}/redirect?to=/x`, method: "POST", body: "canary" });
			expect(posted.status).to.equal(302);
			expect(near.seen.at(-1)?.path).to.equal("/redirect");
		});
	});

	describe("with bounds", () => {
		for (const path of ["/bomb", "/endless"]) {
			it(`end ${path} at the bound of the body`, async () => {
				const error = await failure(path);
				expect([error.constructor, error.type]).to.deep.equal([UpstreamError, "UPSTREAM_TOO_LARGE"]);
			});
		}

		for (const path of ["/silent", "/drip", "/endless"]) {
			it(`end ${path} after the time`, async () => {
				const error = await failure(path, { timeoutMs: 300, maxBytes: Number.MAX_SAFE_INTEGER });
				expect([error.constructor, error.type]).to.deep.equal([TimeoutError, "UPSTREAM_TIMEOUT"]);
			});
		}

		it("end while the name is resolved, which the time includes", async () => {
			const waiting = new Outbound(config, () => new Promise(() => {}));
			const error = await failureOf(waiting.send({ url: "https://server.example/", timeoutMs: 100 }));
			expect(error).to.be.instanceOf(TimeoutError);
		});

		it("end with a sentence when the server cannot be understood", async () => {
			for (const path of ["/headers", "/cut", "/packed?encoding=gzip,%20gzip"]) {
				const error = await failure(path);
				expect(error.constructor, path).to.equal(UpstreamError);
				expect(error.message).to.match(/^The server/);
			}
		});
	});

	it("read every usual compression", async () => {
		for (const encoding of Object.keys(compressed)) {
			const { body } = await outbound.send({ url: `${near.origin}/packed?encoding=${encoding}` });
			expect(body.toString(), encoding).to.equal("hello");
		}
	});

	it("reach a name that the configuration allows", async () => {
		const origin = near.origin.replace("127.0.0.1", "localhost");
		const named = new Outbound({ ...config, allow: [origin] });
		expect((await named.send({ url: `${origin}/x` })).status).to.equal(200);
		expect(near.seen.at(-1)?.headers.host).to.equal(new URL(origin).host);
		named.close();
	});

	it("resolve with an answer of any status", async () => {
		for (const status of [204, 304, 404, 500]) {
			expect((await outbound.send({ url: `${near.origin}/x?status=${status}` })).status).to.equal(status);
		}
		expect((await outbound.send({ url: `${near.origin}/x`, method: "HEAD" })).body).to.have.length(0);
	});

	it("send no header that frames the request or breaks a line", async () => {
		for (const [name, value] of [
			["Host", "127.0.0.1"],
			["transfer-encoding", "chunked"],
			["Content-Length", "0"],
			["connection", "upgrade"],
			["proxy-authorization", "x"],
			["x-a", "b\r\nHost: 127.0.0.1"],
			["x-a\r\nhost", "b"],
			["", "b"],
		] as const) {
			const error = await failureOf<ServiceError>(outbound.send({ url: near.origin, headers: { [name]: value } }));
			expect(error.type, name).to.equal("HEADER_REFUSED");
		}
	});
});
