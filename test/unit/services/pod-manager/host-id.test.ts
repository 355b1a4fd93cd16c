import { expect } from "chai";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostId } from "#services/pod-manager/host-id.ts";
import { StartError } from "#shared/base/start-error.ts";
import { useFolder } from "../../../support/use-folder.ts";

describe("hostId()", () => {
	const folder = useFolder();

	it("is made once for each data folder, and not among its keys", () => {
		const [one, other] = ["one", "other"].map((name) => join(folder(), name));
		const id = hostId(one ?? "");
		expect(id).to.match(/^[0-9a-f]{16}$/);
		expect(hostId(one ?? "")).to.equal(id);
		expect(hostId(other ?? "")).not.to.equal(id);
		expect(readFileSync(join(one ?? "", "host", "id"), "utf8")).to.equal(id);
	});

	it("is refused when its file was changed, because sessions are bound to it", () => {
		mkdirSync(join(folder(), "host"));
		writeFileSync(join(folder(), "host", "id"), "");
		expect(() => hostId(folder())).to.throw(StartError, "id of this host");
	});
});
