import { expect } from "chai";
import { changedProfile, newProfile, profileKind } from "#services/blueprints/profiles/profile-rules.ts";
import { profileCreate } from "#shared/contracts/blueprints/profiles.ts";
import { BadRequestError } from "#shared/base/errors.ts";
import { completed } from "../../../../support/completed.ts";

const profile = (members: object) => newProfile(completed(profileCreate, { name: "p", ...members }));
const refuse = (members: object) => () => profileKind.refuse?.(profile(members));

describe("the values of a profile", () => {
	const right: object[] = [
		{},
		{ resource_config: { cpu: "0.5", memory: "512Mi", gpu: "0" } },
		{ resource_config: { cpu: 16, memory: "64Gi", gpu: 4 } },
		{ resource_config: { memory: "524288Ki", other: { requests: {} } } },
		{ resource_config: { memory: "0.0005Ti" } },
		{ model: null, mcp_servers: [{ type: "http" }], workload_config: { image: "node" } },
	];
	for (const members of right) it(`may be ${JSON.stringify(members)}`, refuse(members));

	const wrong: [members: object, words: string][] = [
		[{ resource_config: { cpu: "0.4" } }, "cpu must be a number from 0.5 to 16"],
		[{ resource_config: { cpu: "500m" } }, "cpu must be a number from 0.5 to 16"],
		[{ resource_config: { cpu: " " } }, "cpu must be a number from 0.5 to 16"],
		[{ resource_config: { gpu: "5" } }, "gpu must be a number from 0 to 4"],
		[{ resource_config: { memory: "4" } }, "memory must be a number with Ki, Mi, Gi or Ti"],
		[{ resource_config: { memory: 4 } }, "memory must be a number with Ki, Mi, Gi or Ti"],
		[{ resource_config: { memory: "511Mi" } }, "memory must be from 512Mi to 65536Mi"],
		[{ resource_config: { memory: "65Gi" } }, "memory must be from 0.5Gi to 64Gi"],
		[
			{ env_vars: { PATH: "/x", A: "1" } },
			'The variable "PATH" cannot be set, because it decides which programs run or whom they trust; a setup script can set it for what it runs',
		],
		[
			{ env_vars: { lower: "canary" } },
			'The variable "lower" needs a name of at most 64 capital letters, digits and "_", which begins with no digit',
		],
		[{ model: "  " }, "model must not be blank"],
		[{ workload_config: { image: "" } }, "workload_config.image must not be blank"],
		[
			{ mcp_servers: [{ name: "a" }, { type: "" }], resource_config: { gpu: -1 } },
			'gpu must be a number from 0 to 4; MCP server "a" needs a type; MCP server 2 needs a type',
		],
	];
	for (const [members, words] of wrong)
		it(`are refused: ${words}`, () => {
			expect(refuse(members)).to.throw(BadRequestError).with.property("message", words);
		});
});

describe("changedProfile()", () => {
	it("leaves what is absent or null", () => {
		const before = profile({ model: "m", env_vars: { A: "1" } });
		expect(changedProfile(before, { model: null, env_vars: null, description: undefined })).to.deep.equal(before);
		expect(changedProfile(before, { name: "q", env_vars: {} })).to.deep.equal({ ...before, name: "q", env_vars: {} });
	});
});
