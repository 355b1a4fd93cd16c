import { expect } from "chai";
import { type MongoError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from "mongodb";
import { refusalSentence as sentenceOr } from "#shared/store/mongodb/mongodb-refusals.ts";

const refusalSentence = (error: MongoError) => sentenceOr(error, "otherwise");
const server = (code: number, message = "x") => new MongoServerError({ code, message });

/** The driver's error when no server of a set could be used, with the last error of one of them. */
function unreachable(cause: Error): MongoServerSelectionError {
	const reason = { servers: new Map([["127.0.0.1:1", { error: cause }]]) };
	return new MongoServerSelectionError("x", reason as ConstructorParameters<typeof MongoServerSelectionError>[1]);
}

describe("refusalSentence", () => {
	it("names the user or the password, and nothing that the server said", () => {
		const sentence = refusalSentence(server(18, "Authentication failed for secret"));
		expect(sentence)
			.to.match(/^The document store refuses the user or the password of its url/)
			.and.to.include("authSource=admin")
			.and.not.to.include("secret");
	});

	it("names the database that the user may not use, also when the server does not", () => {
		expect(refusalSentence(server(13, "not authorized on other to execute command { find: 1 }"))).to.include('"other"');
		expect(refusalSentence(server(13))).to.include("use its database");
	});

	it("names the certificate that is not trusted", () => {
		const cause = Object.assign(new Error("x"), { code: "SELF_SIGNED_CERT_IN_CHAIN" });
		const network = new MongoNetworkError("x", { cause });
		expect(refusalSentence(unreachable(network))).to.include("not trusted: SELF_SIGNED_CERT_IN_CHAIN");
	});

	it("says that TLS may be missing where connections are closed", () => {
		expect(refusalSentence(unreachable(new MongoNetworkError("connection 1 to 127.0.0.1:1 closed")))).to.include("TLS");
	});

	it("says nothing about a server that is down, or that refused a document", () => {
		const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
		expect(refusalSentence(unreachable(new MongoNetworkError("connect", { cause: refused })))).to.equal("otherwise");
		expect(refusalSentence(server(121))).to.equal("otherwise");
	});
});
