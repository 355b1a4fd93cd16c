import { expect } from "chai";
import { ConfigError } from "#shared/config/config.ts";
import { containersSettings } from "#services/pod-manager/pod-runtimes/containers/containers-options.ts";

describe("containersSettings()", () => {
	it("reads internal hosts, with the ports that some name", () => {
		const internal_hosts = ["Git.corp.example:3000", ".corp.example", "10.1.2.3:8443"];
		expect(containersSettings({ internal_hosts }).egress.internal).to.deep.equal([
			{ host: "git.corp.example", port: 3000 },
			{ host: ".corp.example" },
			{ host: "10.1.2.3", port: 8443 },
		]);
	});

	it("keeps one container warm unless it is told another count, or none", () => {
		expect([{}, { warm: 0 }, { warm: 20 }].map((options) => containersSettings(options).warm)).to.deep.equal([
			1, 0, 20,
		]);
	});

	for (const warm of [-1, 21, 0.5, "1"])
		it(`refuses to keep ${JSON.stringify(warm)} containers warm`, () => {
			expect(() => containersSettings({ warm } as never)).to.throw(ConfigError, "warm");
		});

	for (const host of ["git.corp.example:", "git.corp.example:0", "git.corp.example:65536", ":80", "https://git", "a b"])
		it(`refuses the internal host "${host}"`, () => {
			expect(() => containersSettings({ internal_hosts: [host] })).to.throw(ConfigError, "internal_hosts");
		});
});
