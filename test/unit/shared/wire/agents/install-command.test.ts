import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { installCommand } from "#shared/wire/agents/install-command.ts";
import { environment } from "#shared/config/environment.ts";
import { defaultDataFolder } from "#shared/base/files/default-data-folder.js";

describe("installCommand()", () => {
	it("names the data folder if it is not the default", () => {
		expect(installCommand("x")).to.equal("npm run agents -- install x");
		expect(installCommand("x", defaultDataFolder(environment()))).to.equal("npm run agents -- install x");
		expect(installCommand("x", "/srv/atelier")).to.equal("DATA_DIR=/srv/atelier npm run agents -- install x");
	});

	it("can be typed into a shell, with any name of the folder", () => {
		for (const folder of ["/a b", "/it's", '/q"$(x)`y`', "/a\\b", "/é;ls", "/a\nb"]) {
			const command = installCommand("x", folder).replace("npm run agents -- install x", "printenv -0 DATA_DIR");
			expect(execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" })).to.equal(`${folder}\0`);
		}
	});
});
