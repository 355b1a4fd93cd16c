/** Reads the templates of one file. Its faults name the file, the line and the key. Pure. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { placedYamlDocuments, type YamlDocument } from "#shared/base/yaml/yaml-text.ts";
import { type Template, template as templateFields } from "#shared/contracts/templates.ts";
import { documentMistakes, type Mistake } from "#shared/base/yaml/document-mistakes.ts";
import { variableFaults } from "#shared/wire/pod/variable-name.ts";
import { workloadFaults } from "../owned/workload-faults.ts";
import type { TemplateFault, TemplateList } from "../template-source.ts";

const form = { fields: templateFields, check: compileSchema(templateFields), kind: "templates", rules: rulesBroken };

/** Returns the templates of a text, one per document. An empty document is none. */
export function templatesIn(origin: string, text: string): TemplateList {
	let documents: YamlDocument[];
	try {
		documents = placedYamlDocuments(text);
	} catch (error) {
		return { templates: [], faults: [faultOf(origin, error instanceof Error ? error.message : String(error))] };
	}
	const read = documents.filter(({ value }) => value !== null).map((document) => templateIn(origin, document));
	return {
		templates: read.filter((one) => !("sentence" in one)) as Template[],
		faults: read.filter((one) => "sentence" in one),
	};
}

/** Makes a fault. @param mistake The place and the mistake. @param name The name of the template. */
export function faultOf(origin: string, mistake: string, name?: string): TemplateFault {
	return { origin, sentence: `Template file "${origin}": ${mistake}`, name };
}

function templateIn(origin: string, document: YamlDocument): Template | TemplateFault {
	const mistake = documentMistakes(document, form);
	return mistake === undefined ? (document.value as Template) : faultOf(origin, mistake, nameOf(document.value));
}

/** Returns the variables that no launch would set, and the values of `workload_config` that no session could be started with. */
function rulesBroken(value: unknown): Mistake[] {
	const { env_vars, workload_config } = value as Template;
	return [
		...variableFaults(env_vars).map((message) => ({ path: ["env_vars"], message })),
		...workloadFaults(workload_config).map(({ member, message }) => ({ path: ["workload_config", member], message })),
	];
}

function nameOf(value: unknown): string | undefined {
	const name = typeof value === "object" && value !== null && "name" in value ? value.name : undefined;
	return typeof name === "string" ? name : undefined;
}
