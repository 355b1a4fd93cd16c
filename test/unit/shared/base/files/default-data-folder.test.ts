import { expect } from "chai";
import { defaultDataFolder } from "#shared/base/files/default-data-folder.js";

describe("defaultDataFolder()", () => {
	it("is one for the data of the person's programs", () => {
		const env = { HOME: "/home/ada" };
		expect(defaultDataFolder(env)).to.equal("/home/ada/.local/share/atelier");
		expect(defaultDataFolder({ ...env, XDG_DATA_HOME: "/srv/of-ada" })).to.equal("/srv/of-ada/atelier");
		expect(defaultDataFolder({ ...env, XDG_DATA_HOME: "relative" })).to.equal("/home/ada/.local/share/atelier");
	});
});
