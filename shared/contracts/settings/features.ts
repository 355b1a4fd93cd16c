/**
 * The contract of features: the modules of a user interface, which administrators switch on and off for their tenant,
 * and the layout that every user makes of them.
 */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { text } from "../field-rules.ts";

export const featureScopes = ["admin", "session", "user"] as const;

const moduleKey = { type: "string", min: 1, max: 100, description: "Module key" } as const;

export const featureModule = schema({
	key: moduleKey,
	label: text,
	icon: { type: "string", description: "Icon name of the Lucide set" },
	scope: { type: "enum", values: featureScopes, description: "The part of the interface it belongs to" },
	enabled: { type: "boolean" },
	default_enabled: { type: "boolean" },
	admin_only: { type: "boolean" },
	order: { type: "number", integer: true, description: "Its place within the scope" },
});
export type FeatureModule = Output<typeof featureModule>;

/** The place of one module in a user's layout. */
export const featurePreference = schema({
	feature_key: moduleKey,
	visible: { type: "boolean", default: true },
	sort_order: { type: "number", integer: true, min: -1_000_000, max: 1_000_000, default: 0 },
});
export type FeaturePreference = Output<typeof featurePreference>;

const moduleRecord = { type: "object", props: featureModule } as const;
const preferenceRecord = { type: "object", props: featurePreference } as const;

export const features = defineContract("features", {
	list: {
		rest: "GET /features",
		summary: "Modules by their order; administrators see all, others those that are switched on and meant for them",
		params: {
			scope: { type: "string", max: 100, optional: true, description: `One of ${featureScopes.join(", ")}` },
			...pageParams,
		},
		...pageOf(moduleRecord),
		errors: [400],
	},
	toggle: {
		rest: "PUT /features/:key/toggle",
		access: "admin",
		summary: "Switch a module on or off for the caller's tenant",
		example: { enabled: true },
		params: { key: moduleKey, enabled: { type: "boolean" } },
		returns: moduleRecord,
		errors: [404, 503],
	},
	preferences: {
		rest: "GET /features/preferences",
		summary: "The caller's layout, by sort_order",
		params: pageParams,
		...pageOf(preferenceRecord),
		errors: [400],
	},
	set_preferences: {
		rest: "PUT /features/preferences",
		summary: "Replace the caller's layout",
		example: { preferences: [] },
		params: { preferences: { type: "array", max: 100, items: preferenceRecord } },
		returns: { type: "array", items: preferenceRecord },
		errors: [503],
	},
});
