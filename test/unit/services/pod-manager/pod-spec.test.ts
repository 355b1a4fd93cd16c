import { expect } from "chai";
import { platformUrl } from "#services/pod-manager/platform-url.ts";
import { podSpec } from "#services/pod-manager/pod-spec.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { launchSettings } from "../../../support/pods/memory-pods.ts";

const key = new InstallationKey(Buffer.alloc(32, 1));
const dependencies = {
	key,
	platformUrl: "http://127.0.0.1:1/api/v1/svc",
	choiceMs: 60_000,
	accessOf: () => undefined,
	refusalOf: () => undefined,
};
const id = "0b1f7e6a-52a4-4c54-9d8e-6f1f3f5a7c01";

function claim(launch: Record<string, unknown>): Claim {
	return {
		id,
		tenant: "acme",
		owner: "ada",
		generation: 2,
		desired: "run",
		fence: 5,
		attempts: 1,
		workspace: id,
		launch,
	};
}

describe("podSpec", () => {
	it("is the launch settings with the keys of this launch", () => {
		expect(podSpec(claim({ ...launchSettings }), dependencies)).to.deep.equal({
			...launchSettings,
			session_id: id,
			generation: 2,
			workspace_id: id,
			owner: { tenant: "acme", id: "ada" },
			installation: key.installationId(),
			platform_url: "http://127.0.0.1:1/api/v1/svc",
			pod_token: key.podToken(id, 2),
			platform_key: key.platformKey(id, 2),
			choice_ms: 60_000,
		});
	});

	it("refuses launch settings that are incomplete, by name and without their values", () => {
		const broken = { ...launchSettings, repositories: [{ url: "https://user:secret@example.org/r" }], model: 7 };
		expect(() => podSpec(claim(broken), dependencies))
			.to.throw(Error)
			.with.property("message")
			.that.matches(/^Cannot start a pod from these launch settings: .*model.*repositories\.0\.branch/s)
			.and.does.not.contain("secret");
	});
});

describe("platformUrl", () => {
	const gateway = {
		host: "127.0.0.1",
		port: 8080,
		public_url: "",
		product: "svc",
		aliases: [],
		allowed_hosts: [],
		allowed_origins: [],
	};
	const rows: [given: Partial<typeof gateway>, url: string][] = [
		[{}, "http://127.0.0.1:8080/api/v1/svc"],
		[{ host: "0.0.0.0", product: "atelier" }, "http://127.0.0.1:8080/api/v1/atelier"],
		[{ host: "::1" }, "http://[::1]:8080/api/v1/svc"],
		[{ public_url: "https://atelier.example.org", port: 0 }, "https://atelier.example.org/api/v1/svc"],
	];
	for (const [given, url] of rows) {
		it(`is ${url} for ${JSON.stringify(given)}`, () => {
			expect(platformUrl({ ...gateway, ...given })).to.equal(url);
		});
	}

	it("is unknown before a free port is taken", () => {
		expect(() => platformUrl({ ...gateway, port: 0 })).to.throw("gateway.port is 0 and gateway.public_url is empty");
	});
});
