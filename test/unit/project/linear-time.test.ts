import { expect } from "chai";
import { decoders } from "#shared/model-proxy/metering/content-decoders.ts";
import { callerHeaders, providerHeaders } from "#shared/model-proxy/provider/forwarded-headers.ts";
import { wordsOf } from "#shared/model-proxy/provider/provider-words.ts";
import { proxyRoute } from "#shared/model-proxy/proxy-route.ts";
import { commandIn } from "#agent/builtin/message-command.ts";
import { RequestGuard } from "#agent/server/request-guard.ts";
import { bearerToken } from "#services/gateway/callers/bearer-token.ts";
import { isJsonType, parseObject } from "#services/gateway/http/json-body.ts";
import { OriginGuard } from "#shared/net/http/origin-guard.ts";
import { requestIdOf } from "#services/gateway/http/request-id.ts";
import { isChatUpgrade, sessionOf, withToken } from "#services/gateway/http/websocket-handshake.ts";
import { testIds } from "../../support/clients/test-ids.ts";
import { isBranchName } from "#shared/wire/git/branch-name.ts";
import { readRepositoryUrl, withoutUserinfo } from "#shared/wire/git/repository-url.ts";
import { decodeCursor } from "#shared/store/pages/cursor.ts";
import { isLinear } from "../../support/machine/time-ratio.ts";

const guard = new OriginGuard({
	host: "127.0.0.1",
	port: 8080,
	publicUrl: "",
	allowedHosts: ["atelier.example"],
	allowedOrigins: [],
	checksHost: true,
});

const pod = new RequestGuard("key");

/**
 * The functions that read a text which a client, a page, a provider or a repository may choose freely, and the
 * beginning of such a text.
 */
const readers: [name: string, starts: string[], read: (text: string) => unknown][] = [
	["Content-Type", ["", "application/json", 'application/json; charset="'], isJsonType],
	["Authorization", ["", "Bearer "], (authorization) => bearerToken({ authorization }, {})],
	["Authorization of a pod", ["", "Bearer "], (authorization) => pod.check({ host: "localhost:1", authorization }, 1)],
	["Host", ["", "atelier.example:"], (host) => guard.check({ host })],
	["Origin", ["", "http://"], (origin) => guard.check({ host: "127.0.0.1:8080", origin })],
	["X-Request-ID", [""], (text) => requestIdOf({ headers: { "x-request-id": text } })],
	["Upgrade", ["", "websocket"], (upgrade) => isChatUpgrade({ url: "/s/", headers: { upgrade } })],
	["the path of a chat", ["/s/", "/s/?"], sessionOf],
	["Sec-WebSocket-Protocol", ["", "a,"], (text) => withToken({ headers: { "sec-websocket-protocol": text } })],
	["a token in a URL", ["/s/?", "/s/?access_token="], (url) => withToken({ headers: {}, url })],
	["Last-Event-ID", ["", "a-", "a-s"], (text) => testIds.read(text)],
	["a cursor", ["", "WyI"], decodeCursor],
	["a body", ["", "{", '{"a":"'], (text) => parseObject(Buffer.from(text))],
	["a repository", ["", "https://", "git@", "https://a:b@"], (text) => readRepositoryUrl(text, ["https", "ssh"])],
	["git's words", ["", "https://"], withoutUserinfo],
	["a branch", ["", "a/"], isBranchName],
	["a message", ["", "$ ", "```sh\n"], commandIn],
	["Connection of a model call", ["", "close"], (connection) => providerHeaders({ connection }, "anthropic", "")],
	["anthropic-beta of a model call", ["", "a"], (text) => providerHeaders({ "anthropic-beta": text }, "anthropic", "")],
	["a provider's header", [""], (text) => callerHeaders({ "x-a": text }, (value) => value.includes("secret"))],
	["a provider's Content-Encoding", ["identity", "identity,"], (text) => decoders(text, "The provider")],
	["a provider's error", ["", "<", '{"error":"'], wordsOf],
	["the path of a model call", ["/anthropic/", "/gemini/v1beta/models/"], (url) => proxyRoute("POST", url)],
];

const units = [
	" ",
	"\t",
	",",
	", ",
	" ,",
	"a",
	"a ",
	"/",
	"//",
	"a/",
	".",
	"a.",
	":",
	"a:",
	"@",
	"a@",
	"-",
	"=",
	"a=",
	"0",
	"%",
	"`",
];

describe("what reads texts of strangers", function () {
	this.timeout(120_000);

	for (const [name, starts, read] of readers)
		it(`takes linear time for ${name} of 64 KB (M1)`, () => {
			const slow = starts.flatMap((start) =>
				units.filter((unit) => {
					const text = (length: number) => `${start}${unit.repeat(length / unit.length)}\0!`;
					return !isLinear(read, text, 64_000);
				}),
			);
			expect(slow).to.deep.equal([]);
		});
});
