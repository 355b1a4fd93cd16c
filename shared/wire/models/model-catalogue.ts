/**
 * The catalogue of models that sessions may use, with providers and prices, from one YAML file (configuration key
 * `models.file`).
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { ConfigError } from "#shared/config/config.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { documentMistakes, type Mistake } from "#shared/base/yaml/document-mistakes.ts";
import { placedYamlDocument, type YamlDocument } from "#shared/base/yaml/yaml-text.ts";
import { modelWires } from "./model-wire.ts";
import { microsOf } from "./money.ts";
import type { TokenPrices } from "./token-counts.ts";

const text = { type: "string", min: 1, max: 200 } as const;
const dollars = { type: "number", min: 0, max: 1_000_000 } as const;

const provider = schema({
	id: { ...text, pattern: "^[a-z0-9][a-z0-9-]*$" },
	location: { type: "enum", values: ["cloud", "local"], default: "cloud" },
	endpoints: {
		type: "record",
		key: { type: "string" },
		value: { type: "string", pattern: "^https?://[^/]+(/.*[^/])?$" },
		description: `URL prefix by wire format: ${modelWires.join(", ")}`,
	},
	key_env: {
		type: "string",
		pattern: "^$|^[A-Z_][A-Z0-9_]*$",
		default: "",
		description: "Variable of the platform's environment with the key; empty: the provider needs none",
	},
});
export type ModelProvider = Output<typeof provider>;

const model = schema({
	id: { ...text, max: 100, description: "Name of the model at the provider" },
	aliases: {
		type: "array",
		max: 20,
		items: { ...text, max: 100 },
		optional: true,
		description: "Other names that requests may have for it; sessions and the books have its id",
	},
	name: text,
	description: { type: "string", max: 1_000, default: "" },
	provider: text,
	tier: { type: "enum", values: ["frontier", "balanced", "execution", "reasoning"], default: "balanced" },
	color: { type: "string", default: "#2563EB" },
	vram_required: { type: "string", max: 20, optional: true },
	context_window: { type: "number", integer: true, min: 1_024, default: 128_000, description: "Tokens" },
	prices: {
		type: "object",
		optional: true,
		props: { input: dollars, output: dollars, cache_read: dollars, cache_write: dollars },
		description: "US dollars per million tokens; absent: not priced",
	},
});
export type CatalogueModel = Output<typeof model>;

const catalogue = schema({
	price_version: { ...text, description: "Name of this price list, which every ledger row stores" },
	default_model: { type: "string", default: "", description: "Model of sessions that name none; empty: none" },
	providers: { type: "array", max: 100, items: { type: "object", props: provider }, default: [] },
	models: { type: "array", max: 1_000, items: { type: "object", props: model }, default: [] },
});
export type ModelCatalogue = Output<typeof catalogue>;

const form = {
	fields: catalogue,
	check: compileSchema(catalogue),
	kind: "model catalogues",
	rules: (value: unknown) => inconsistencies(value as ModelCatalogue),
};

/**
 * Reads the catalogue. @param file A path from the project's root, or an absolute one. @throws {ConfigError} naming the
 * file and the mistake.
 */
export function readModelCatalogue(file: string): ModelCatalogue {
	const path = resolve(projectRoot, file);
	const document = documentOf(path);
	const mistakes = documentMistakes(document, form);
	if (mistakes !== undefined) throw new ConfigError(`Model catalogue "${path}": ${mistakes}`);
	return document.value as ModelCatalogue;
}

/** Returns the names of a model, its id first. */
export function namesOf({ id, aliases = [] }: Pick<CatalogueModel, "id" | "aliases">): readonly string[] {
	return [id, ...aliases];
}

/** Returns the id of each model by all of its names. */
export function idsByName(models: ModelCatalogue["models"]): ReadonlyMap<string, string> {
	return new Map(models.flatMap((model) => namesOf(model).map((name) => [name, model.id] as const)));
}

/** Returns the model that a name means; undefined when there is none. */
export function modelNamed({ models }: Pick<ModelCatalogue, "models">, name: string): CatalogueModel | undefined {
	return models.find((model) => namesOf(model).includes(name));
}

/** Returns the prices of a model; undefined when it is not priced. */
export function tokenPrices({ prices }: Pick<CatalogueModel, "prices">): TokenPrices | undefined {
	if (!prices) return undefined;
	const { input, output, cache_read, cache_write } = prices;
	return {
		input: microsOf(input),
		output: microsOf(output),
		cache_read: microsOf(cache_read),
		cache_write: microsOf(cache_write),
	};
}

function documentOf(path: string): YamlDocument {
	try {
		return placedYamlDocument(readFileSync(path, "utf8"));
	} catch (error) {
		throw new ConfigError(`Cannot read the model catalogue "${path}": ${(error as Error).message}`);
	}
}

/** Returns the names that lead nowhere, and those that two have. */
function inconsistencies({ providers, models, default_model }: ModelCatalogue): Mistake[] {
	const known: readonly string[] = modelWires;
	const names = models.flatMap((model, index) => namesOf(model).map((name) => ({ name, path: ["models", index] })));
	const isModel = (id: string): boolean => models.some((each) => each.id === id);
	return [
		...providers.flatMap(({ id, endpoints }, index) =>
			Object.keys(endpoints)
				.filter((wire) => !known.includes(wire))
				.map((wire) => ({
					path: ["providers", index, "endpoints", wire],
					message: `provider "${id}" has the wire format "${wire}"; known: ${known.join(", ")}`,
				})),
		),
		...models.flatMap(({ id, provider: named }, index) => {
			const message = `model "${id}" names the provider "${named}", which does not exist`;
			return providers.some((each) => each.id === named) ? [] : [{ path: ["models", index, "provider"], message }];
		}),
		...names
			.filter(({ name }, at) => names.findIndex((other) => other.name === name) < at)
			.map(({ name, path }) => ({ path, message: `there are two models "${name}"` })),
		...(default_model === "" || isModel(default_model)
			? []
			: [{ path: ["default_model"], message: `default_model "${default_model}" does not exist` }]),
	];
}
