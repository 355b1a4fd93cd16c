/** Processes that cannot work together refuse each other: with unlike keys of stored credentials, or another isolation of sessions. */
import { expect } from "chai";
import { describeProcess } from "#host/process-entry.ts";
import { loadConfig } from "#shared/config/config.ts";
import { unlikeness } from "#host/presence/unlikeness.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";

const variable = "CREDENTIAL_ENCRYPTION_KEY";
const key = new InstallationKey(Buffer.alloc(32, 7));

describe("the entry of a process", () => {
	const former = process.env[variable];
	afterEach(() => {
		if (former === undefined) delete process.env[variable];
		else process.env[variable] = former;
	});

	function entryWith(secret: string, services: readonly string[]) {
		process.env[variable] = secret;
		const { data_dir: _, ...config } = loadConfig({});
		return describeProcess({ config: { ...config, data_dir: "/nonexistent" }, key }, services);
	}

	it("tells processes with another key of the stored credentials apart, and has nothing of the key", async () => {
		const [one, other] = ["first", "second"].map((text) => Buffer.alloc(32, text).toString("base64")) as [
			string,
			string,
		];
		const pods = await entryWith(one, ["credentials", "pod-manager"]);
		const unlike = await entryWith(other, ["credentials", "pod-manager"]);
		const none = await entryWith("", ["credentials", "pod-manager"]);
		for (const [own, beside] of [
			[pods, unlike],
			[none, pods],
		] as const)
			expect(unlikeness(own, [beside]).conflict?.sentence).to.include("another key of the stored credentials");
		expect(unlikeness(pods, [await entryWith(one, ["credentials"])]).conflict).to.equal(undefined);
		// A gateway has nothing to do with the key, and need not have it.
		expect(unlikeness(await entryWith("", ["stream"]), [pods]).conflict).to.equal(undefined);
		expect(JSON.stringify(pods)).not.to.include(one);
	});

	it("tells pod managers that require another isolation apart, and no other processes", async () => {
		const entryOf = (isolation: string, service: string) => {
			const { data_dir: _, ...config } = loadConfig({ PODS__REQUIRED_ISOLATION: isolation });
			return describeProcess({ config: { ...config, data_dir: "/nonexistent" }, key }, [service]);
		};
		const strict = await entryOf("container", "pod-manager");
		const lax = await entryOf("none", "pod-manager");
		for (const [own, beside] of [
			[strict, lax],
			[lax, strict],
		] as const)
			expect(unlikeness(own, [beside]).conflict?.sentence).to.include('other values of "pods.required_isolation"');
		expect(unlikeness(strict, [await entryOf("container", "pod-manager")]).conflict).to.equal(undefined);
		expect(unlikeness(await entryOf("none", "gateway"), [strict]).conflict).to.equal(undefined);
	});
});
