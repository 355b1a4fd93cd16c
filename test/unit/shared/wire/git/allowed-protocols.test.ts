import { expect } from "chai";
import { loadConfig } from "#shared/config/config.ts";
import { gitProtocols } from "#shared/wire/git/allowed-protocols.ts";

describe("gitProtocols()", () => {
	it("lets only trusted callers name folders of the machine and servers on it", () => {
		expect(gitProtocols(loadConfig({}), true)).to.have.members(["https", "ssh", "http", "file"]);
		expect(gitProtocols(loadConfig({}), false)).to.have.members(["https", "ssh"]);
	});
});
