/** Templates as custom resources have the members of templates of the API, and bounds for all of them. */
import { Ajv } from "ajv";
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { mcpServerNames, resourceNames, workloadNames } from "#shared/contracts/free-form-names.ts";
import { permissionModes } from "#shared/contracts/sessions/session-resource.ts";
import { template } from "#shared/contracts/templates.ts";
import { badTemplates } from "../../support/kubernetes/bad-templates.ts";
import { egressProfiles } from "#shared/base/hosts/egress-profiles.ts";

interface Structure {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, Structure>>;
	readonly items?: Structure;
	readonly additionalProperties?: Structure;
	readonly maxLength?: number;
	readonly maxItems?: number;
	readonly maxProperties?: number;
	readonly enum?: readonly string[];
	readonly format?: string;
}

interface Definition {
	readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Structure } }[] };
}

const file = join(projectRoot, "k8s/components/templates/session-template.yaml");
const definition = parse(readFileSync(file, "utf8")) as Definition;
const whole = definition.spec.versions[0]?.schema.openAPIV3Schema;
const spec = whole?.properties?.["spec"];

function camelCase(name: string): string {
	return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A number or a text has no type in a schema of the cluster. */
function asJsonSchema(structure: Structure): object {
	return JSON.parse(JSON.stringify(structure), (_, value: unknown) =>
		value instanceof Object && "x-kubernetes-int-or-string" in value
			? Object.assign(value, { type: ["integer", "string"] })
			: value,
	) as object;
}

function membersOf(structure: Structure | undefined): string[] {
	return Object.keys(structure?.properties ?? {}).toSorted();
}

function camelCased(names: readonly string[]): string[] {
	return names.map(camelCase).toSorted();
}

/** The places of texts, lists and maps without a bound. */
function unbounded(structure: Structure, at: string): string[] {
	const { type, properties = {}, items, additionalProperties, format } = structure;
	const isBounded = {
		string: structure.maxLength !== undefined || structure.enum !== undefined || format !== undefined,
		array: structure.maxItems !== undefined,
		object: additionalProperties === undefined || structure.maxProperties !== undefined,
	};
	const own = Object.entries(isBounded).some(([kind, bounded]) => kind === type && !bounded) ? [at] : [];
	return [
		...own,
		...Object.entries(properties).flatMap(([name, member]) => unbounded(member, `${at}.${name}`)),
		...(items ? unbounded(items, `${at}[]`) : []),
		...(additionalProperties ? unbounded(additionalProperties, `${at}{}`) : []),
	];
}

describe("the custom resource of templates", () => {
	it("has every member of a template but its name, and no other", () => {
		const names = Object.keys(template).filter((name) => name !== "name");
		expect(membersOf(spec)).to.deep.equal(camelCased(names));
		const { repos, mcpServers, workloadConfig, resourceConfig } = spec?.properties ?? {};
		expect(membersOf(repos?.items)).to.deep.equal(camelCased(Object.keys(template.repos.items.props)));
		expect(membersOf(mcpServers?.items)).to.deep.equal(camelCased(mcpServerNames));
		expect(membersOf(workloadConfig)).to.deep.equal(camelCased(workloadNames));
		const { permissionMode, egress } = workloadConfig?.properties ?? {};
		expect([permissionMode?.enum, egress?.enum]).to.deep.equal([permissionModes, egressProfiles]);
		expect(membersOf(resourceConfig)).to.include.members(camelCased(resourceNames));
	});

	it("has a bound for every text, list and map: the API refuses rules about others as too costly", () => {
		expect(whole && unbounded(whole, "")).to.deep.equal([]);
		expect(
			unbounded({ type: "object", properties: { one: { type: "array", items: { type: "string" } } } }, ""),
		).to.deep.equal([".one", ".one[]"]);
	});

	it("refuses templates that no session could use, and takes one that says something of everything", () => {
		const check = new Ajv({ strict: false, formats: { int64: true, "date-time": true } }).compile(
			asJsonSchema(spec ?? {}),
		);
		const bySchema = badTemplates.filter(({ sentence }) => sentence === undefined);
		expect(bySchema.filter(({ spec: bad }) => check(bad)).map(({ what }) => what)).to.deep.equal([]);
		const good = {
			description: "One service",
			repos: [{ url: "https://git.example/acme/engine", branch: "main", path: "engine" }],
			setupScripts: ["npm ci"],
			workspaceLayout: { root: "engine" },
			isDefault: true,
			resourceConfig: { cpu: 2, memory: "4Gi", disk: "20Gi", gpu: 1, gpuType: "A100" },
			mcpServers: [
				{ name: "tickets", type: "http", url: "https://tickets.example/mcp", headers: { accept: "text/plain" } },
			],
			envVars: { NODE_ENV: "development" },
			workloadConfig: { agent: "builtin", permissionMode: "ask", egress: "restricted", egressHosts: [".example.org"] },
		};
		expect(check(good), JSON.stringify(check.errors)).to.equal(true);
	});

	it("has a rule with each sentence of the platform", () => {
		const text = readFileSync(file, "utf8");
		const sentences = new Set(badTemplates.flatMap(({ sentence }) => sentence ?? []));
		expect(sentences.size).to.be.above(2);
		expect([...sentences].filter((sentence) => !text.includes(`message: ${sentence}\n`))).to.deep.equal([]);
	});
});
