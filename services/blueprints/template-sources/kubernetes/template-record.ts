/** Reads a custom resource with a template: what is offered of it, or what is wrong with it by itself. Pure. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { unknownFields } from "#shared/base/schema/unknown-fields.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type Template, template as templateSchema } from "#shared/contracts/templates.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { variableFaults } from "#shared/wire/pod/variable-name.ts";
import { workloadFaults } from "../../owned/workload-faults.ts";
import type { Refusal } from "./known-names.ts";
import { placeInResource, templateFields } from "./template-members.ts";
import { type ToldStatus, toldStatus } from "./told-status.ts";

/** The custom resource, as the cluster answers it. */
export interface TemplateObject extends KubeObject {
	readonly spec?: unknown;
	readonly status?: unknown;
}

/** The part of a custom resource that is kept. */
export interface TemplateRecord {
	readonly name: string;
	/** It differs between two objects of one name, of which the first was deleted. */
	readonly uid: string;
	readonly resourceVersion: string;
	/** It grows with each change of `spec`, and not with those of the status. */
	readonly generation: number;
	/** The template, or why nobody could use it. */
	readonly read: { readonly template: Template } | { readonly refusal: Refusal };
	readonly told: ToldStatus;
}

/** The most bytes of a template, as of a YAML file. */
const maxBytes = 262_144;
/** The most mistakes of one sentence. */
const maxTold = 10;

const check = compileSchema(templateSchema);

export function templateRecord({ metadata, spec, status }: TemplateObject): TemplateRecord {
	const { name, uid = name, resourceVersion = "" } = metadata;
	const generation = "generation" in metadata && typeof metadata.generation === "number" ? metadata.generation : 0;
	return { name, uid, resourceVersion, generation, read: readSpec(name, spec), told: toldStatus(status) };
}

function readSpec(name: string, spec: unknown): TemplateRecord["read"] {
	if (!isJsonObject(spec)) return refused("InvalidMember", "spec is no map");
	const bytes = Buffer.byteLength(JSON.stringify(spec));
	if (bytes > maxBytes) return refused("TooLarge", `The template has ${bytes} bytes, and may have ${maxBytes}`);
	const template = { name, ...templateFields(spec) };
	const mistakes = mistakesOf(template);
	if (mistakes.length === 0) return { template: template as Template };
	const more = mistakes.length > maxTold ? [`and ${mistakes.length - maxTold} more`] : [];
	return refused("InvalidMember", [...mistakes.slice(0, maxTold), ...more].join("; "));
}

/** Fills in defaults, and returns a sentence for each mistake, without any value of a variable. */
function mistakesOf(value: Readonly<Record<string, unknown>>): string[] {
	const unknown = unknownFields(value, templateSchema).map((path) => `${placeInResource(path)} does not exist`);
	const misshapen = [...unknown, ...check(value).map(({ path, message }) => `${placeInResource(path)}: ${message}`)];
	if (misshapen.length > 0) return misshapen;
	const { env_vars, workload_config } = value as Template;
	return [
		...variableFaults(env_vars).map((message) => `${placeInResource(["env_vars"])}: ${message}`),
		...workloadFaults(workload_config).map(
			({ member, message }) => `${placeInResource(["workload_config", member])}: ${message}`,
		),
	];
}

function refused(reason: Refusal["reason"], message: string): TemplateRecord["read"] {
	return { refusal: { reason, message } };
}
