import { expect } from "chai";
import { templatesIn } from "#services/blueprints/template-sources/template-file.ts";

describe("templatesIn()", () => {
	it("reads one template per document, and none of an empty one", () => {
		const { templates, faults } = templatesIn("a.yaml", "name: one\n---\n---\nname: two\nmodel: m\n");
		expect(faults).to.deep.equal([]);
		expect(templates.map(({ name }) => name)).to.deep.equal(["one", "two"]);
		expect(templates[1]).to.deep.include({ model: "m", workload_type: "session", env_vars: {}, repos: [] });
	});

	const wrong: [text: string, mistake: string, name: string | undefined][] = [
		["name: one\nsetup_script:\n  - true\n", 'line 2: "setup_script" is not a key of templates', "one"],
		["name: one\nrepos:\n  - url: a\n    brnch: b\n", 'line 4: "repos.0.brnch" is not a key of templates', "one"],
		["description: x\n", "line 1, \"name\": The 'name' field is required.", undefined],
		[
			"name: one\nsetup_scripts: secret\n",
			"line 2, \"setup_scripts\": The 'setup_scripts' field must be an array.",
			"one",
		],
		[
			"name: one\nenv_vars:\n  A: text\n  B: 12\n",
			"line 4, \"env_vars.B\": The 'env_vars.B' field must be a string.",
			"one",
		],
		[
			"name: one\nenv_vars:\n  PATH: secret\n",
			'line 2, "env_vars": The variable "PATH" cannot be set, because it decides which programs run or whom they trust; a setup script can set it for what it runs',
			"one",
		],
		[
			"name: one\nworkload_config:\n  agent: builtin\n  permission_mode: secret\n",
			'line 4, "workload_config.permission_mode": The permission_mode of workload_config does not exist; allowed: auto, ask',
			"one",
		],
		["name: one\nmodel: [secret\n", "bad indent at line 3, column 1", undefined],
		["- name: one\n", "line 1", undefined],
	];
	for (const [text, mistake, name] of wrong) {
		it(`names the place of a mistake: ${mistake}`, () => {
			const { templates, faults } = templatesIn("a.yaml", text);
			expect(templates).to.deep.equal([]);
			expect(faults).to.have.length(1);
			expect(faults[0]?.sentence).to.include(`Template file "a.yaml": ${mistake}`).and.to.not.include("secret");
			expect(faults[0]?.name).to.equal(name);
		});
	}

	it("names all mistakes of a template, and at most ten", () => {
		const mistakes = (text: string): string | undefined => templatesIn("a.yaml", text).faults[0]?.sentence;
		expect(mistakes("name: one\nmodle: m\nsetup_scripts: x\n"))
			.to.include('line 2: "modle" is not a key of templates; line 3, "setup_scripts": ')
			.and.to.not.include("more");
		const rules = "name: one\nenv_vars: { PATH: x, NODE_OPTIONS: y }\nworkload_config: { permission_mode: z }\n";
		expect(mistakes(rules)).to.match(
			/"PATH".*; line 2, .*"NODE_OPTIONS".*; line 3, "workload_config.permission_mode": /,
		);
		const many = Array.from({ length: 12 }, (_, n) => `odd${n}: 1\n`).join("");
		expect(mistakes(`name: one\n${many}`)).to.match(/"odd9" is not a key of templates; and 2 more$/);
	});

	it("leaves the other templates of the file", () => {
		const { templates, faults } = templatesIn("a.yaml", "name: one\n---\nname: two\nrepos: 7\n---\nname: three\n");
		expect(templates.map(({ name }) => name)).to.deep.equal(["one", "three"]);
		expect(faults.map(({ name, sentence }) => [name, /line 4/.test(sentence)])).to.deep.equal([["two", true]]);
	});
});
