import { expect } from "chai";
import { connectionLimit } from "#services/gateway/http/connection-limit.ts";

describe("connectionLimit()", () => {
	it("is the wanted number if there are enough files", () => {
		expect(connectionLimit(4_000, 8_000)).to.deep.equal({ connections: 4_000 });
		expect(connectionLimit(4_000, 1_048_576)).to.deep.equal({ connections: 4_000 });
	});

	it("is half of the files otherwise, and says so", () => {
		const { connections, shortcoming } = connectionLimit(4_000, 1_024);
		expect(connections).to.equal(512);
		expect(shortcoming).to.include("At most 512 connections").and.to.include("1024 files only");
	});
});
