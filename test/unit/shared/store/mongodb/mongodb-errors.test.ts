import { expect } from "chai";
import { MongoError, MongoNetworkError, MongoServerError } from "mongodb";
import { ServiceError } from "#shared/base/errors.ts";
import { takenKey, translated } from "#shared/store/mongodb/mongodb-errors.ts";

const server = (code: number | undefined, message = "x") =>
	new MongoServerError({ message, ...(code !== undefined && { code }) });
const named = (name: string) => Object.defineProperty(new MongoError("x"), "name", { value: name });

function typeOf(error: unknown, intent: "read" | "write"): string | undefined {
	const meaning = translated(error, intent);
	return meaning instanceof ServiceError ? meaning.type : undefined;
}

describe("takenKey()", () => {
	it("is the id or the declared index that a write collided with", () => {
		const collision = (index: string) =>
			server(11_000, `E11000 duplicate key error collection: a.b index: ${index} dup key: { x: 1 }`);
		expect(takenKey(collision("_id_"))).to.equal("id");
		expect(takenKey(collision("by_key:tenant,key"))).to.equal("by_key");
		expect(takenKey(server(11_000, "without an index"))).to.equal("id");
	});

	it("is none of any other failure", () => {
		for (const error of [server(11_001), new Error("index: a dup key"), undefined])
			expect(takenKey(error)).to.equal(undefined);
	});
});

describe("translated()", () => {
	const table: [what: string, error: unknown, read: string, write: string][] = [
		["a server that cannot be reached", named("MongoServerSelectionError"), "STORE_UNREACHABLE", "STORE_UNREACHABLE"],
		["a pool that is closed", named("MongoPoolClosedError"), "STORE_UNREACHABLE", "STORE_UNREACHABLE"],
		["a queue that is full", named("MongoWaitQueueTimeoutError"), "STORE_OVERLOADED", "STORE_OVERLOADED"],
		["a connection that broke", new MongoNetworkError("x"), "STORE_UNREACHABLE", "STORE_UNDECIDED"],
		["a server that is no primary any more", server(10_107), "STORE_UNREACHABLE", "STORE_UNDECIDED"],
		["a server that gives no code", server(undefined), "STORE_UNREACHABLE", "STORE_UNDECIDED"],
		["a time limit that one client's read reached", server(50), "STORE_SLOW", "STORE_UNDECIDED"],
		["a server that refuses", server(13), "STORE_REFUSED", "STORE_REFUSED"],
	];
	for (const [what, error, read, write] of table) {
		it(`tells whether a write may be done after ${what}`, () => {
			expect([typeOf(error, "read"), typeOf(error, "write")]).to.deep.equal([read, write]);
		});
	}

	it("keeps the cause, and leaves what is not of the driver as it is", () => {
		const error = server(13);
		expect(translated(error, "read")).to.have.property("cause", error);
		const own = new Error("x");
		expect(translated(own, "write")).to.equal(own);
	});
});
