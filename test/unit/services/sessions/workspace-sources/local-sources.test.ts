import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { LocalSources, sourceOfMounts } from "#services/sessions/workspace-sources/local-sources.ts";
import { loadConfig } from "#shared/config/config.ts";
import type { SessionSource } from "#shared/contracts/sessions/session-resource.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { alice, root } from "../../../../support/bus/test-brokers.ts";
import { useFolder } from "../../../../support/use-folder.ts";

describe("LocalSources", () => {
	const folder = useFolder();
	const code = () => join(folder(), "code");
	beforeEach(() => mkdirSync(join(code(), "api"), { recursive: true }));

	function sources({ enabled = true, trusts = true } = {}): LocalSources {
		const { git, tenants } = loadConfig({});
		const local_mounts = { enabled, allowed_prefixes: [folder()] };
		return new LocalSources({ git: { ...git, local_mounts }, data_dir: join(folder(), "data"), tenants }, trusts);
	}
	const local = (more: Partial<SessionSource>): SessionSource => ({ type: "local_mount", ...more });
	const path = (mount_path: string, more = {}) => ({ host_path: code(), mount_path, read_only: true, ...more });

	it("takes several folders, and one as the whole workspace", async () => {
		const paths = [path("/workspace/code"), path("/api", { host_path: join(code(), "api"), read_only: false })];
		const found = await sources().check(alice, local({ paths, node_selector: { a: "b" } }));
		expect(found.source).to.deep.equal({ type: "local_mount", paths, node_selector: { a: "b" } });
		expect(found.mounts.map((mount) => [mount.path, mount.read_only])).to.deep.equal([
			["code", true],
			["api", false],
		]);
		const whole = await sources().check(alice, local({ local_path: code() }));
		expect(whole.mounts).to.deep.equal([{ host_path: code(), path: "", read_only: false }]);
		expect(whole.source.paths).to.deep.equal([path("/workspace", { read_only: false })]);
		expect((await sources().check(alice, sourceOfMounts(found.mounts))).mounts).to.deep.equal(found.mounts);
	});

	const refusal = async (source: SessionSource, how = {}, principal = alice) => {
		const error = await failureOf<Error>(sources(how).check(principal, source));
		expect(error).to.be.instanceOf(UnprocessableError);
		return error.message;
	};

	it("refuses them where they are switched off, and to everybody but operators where callers are not trusted", async () => {
		const source = local({ local_path: code() });
		expect(await refusal(source, { enabled: false })).to.match(/^Local mounts are switched off.*allowed_prefixes/);
		expect(await refusal(source, { enabled: false }, root)).to.match(/^Local mounts are switched off/);
		expect(await refusal(source, { trusts: false })).to.match(/^Only the operators/);
		expect(await refusal(source, { trusts: false }, root), "an administrator of a tenant").to.match(
			/^Only the operators/,
		);
		const operator = { ...root, tenant: "default" };
		expect((await sources({ trusts: false }).check(operator, source)).mounts).to.have.lengthOf(1);
	});

	it("refuses places and folders that cannot be used, each by a sentence", async () => {
		expect(await refusal(local({}))).to.match(/needs `paths` or `local_path`/);
		expect(await refusal(local({ local_path: "/etc" }))).to.match(/not below one of the allowed/);
		expect(await refusal(local({ paths: [path("/workspace/../x")] }))).to.match(/cannot be a `mount_path`/);
		expect(await refusal(local({ paths: [path("/a"), path("/workspace/a")] }))).to.match(/^Two folders/);
		expect(await refusal(local({ paths: [path("/a"), path("/a/b")] }))).to.match(/^Two folders/);
		expect(await refusal(local({ paths: [path("/workspace"), path("/b")] }))).to.match(/^Two folders/);
		const many = Array.from({ length: 21 }, (_, n) => path(`/p${n}`));
		expect(await refusal(local({ paths: many }))).to.match(/more than 20/);
	});
});
