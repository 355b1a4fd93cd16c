import { expect } from "chai";
import { MongodbConnection } from "#shared/store/mongodb/mongodb-connection.ts";
import { NoAnswerError, translated } from "#shared/store/mongodb/mongodb-errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

describe("MongodbConnection", () => {
	it("gives up an operation of a silent store, whatever the driver still tries, and waits for it at its end", async () => {
		const connection = new MongodbConnection("mongodb://localhost:1/", "atelier", { operationMs: 20 });
		const silent = Promise.withResolvers<string>();
		const failure = await failureOf(connection.run("things", () => silent.promise));
		expect(failure).to.be.instanceOf(NoAnswerError);
		expect(translated(failure, "read"), "a read").to.include({ code: 503, type: "STORE_UNREACHABLE" });
		expect(translated(failure, "write"), "a write").to.include({ code: 504, type: "STORE_UNDECIDED" });
		let isClosed = false;
		const closing = connection.close().then(() => {
			isClosed = true;
		});
		await Promise.resolve();
		expect(isClosed).to.equal(false);
		silent.reject(new Error("late"));
		await closing;
	});

	it("answers with what an operation resolves to in time", async () => {
		const connection = new MongodbConnection("mongodb://localhost:1/", "atelier", { operationMs: 20 });
		expect(await connection.run("things", async () => "found")).to.equal("found");
		await connection.close();
	});
});
