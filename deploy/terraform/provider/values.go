package main

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Values of a plan, of a state or of the API, as JSON has them. What is unknown or null is absent.
type object = map[string]any

func objectOf(value tftypes.Value) (object, error) {
	plain, err := plainOf(value)
	if err != nil {
		return nil, err
	}
	found, _ := plain.(object)
	return found, nil
}

func plainOf(value tftypes.Value) (any, error) {
	if !value.IsKnown() || value.IsNull() {
		return nil, nil
	}
	kind := value.Type()
	switch {
	case kind.Is(tftypes.String):
		var text string
		err := value.As(&text)
		return text, err
	case kind.Is(tftypes.Bool):
		var yes bool
		err := value.As(&yes)
		return yes, err
	case kind.Is(tftypes.Number):
		var number big.Float
		err := value.As(&number)
		plain, _ := number.Float64()
		return plain, err
	case kind.Is(tftypes.List{}), kind.Is(tftypes.Set{}):
		var items []tftypes.Value
		if err := value.As(&items); err != nil {
			return nil, err
		}
		list := []any{}
		for _, item := range items {
			plain, err := plainOf(item)
			if err != nil {
				return nil, err
			}
			list = append(list, plain)
		}
		return list, nil
	case kind.Is(tftypes.Map{}), kind.Is(tftypes.Object{}):
		var fields map[string]tftypes.Value
		if err := value.As(&fields); err != nil {
			return nil, err
		}
		found := object{}
		for name, field := range fields {
			plain, err := plainOf(field)
			if err != nil {
				return nil, err
			}
			if plain != nil {
				found[name] = plain
			}
		}
		return found, nil
	}
	return nil, fmt.Errorf("no values of the type %s", kind)
}

// The value of a type; what is absent is null.
func valueOf(kind tftypes.Type, plain any) (tftypes.Value, error) {
	if plain == nil {
		return tftypes.NewValue(kind, nil), nil
	}
	switch typed := kind.(type) {
	case tftypes.Object:
		given, ok := plain.(object)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("%v is no object", plain)
		}
		fields := map[string]tftypes.Value{}
		for name, fieldKind := range typed.AttributeTypes {
			value, err := valueOf(fieldKind, given[name])
			if err != nil {
				return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
			}
			fields[name] = value
		}
		return tftypes.NewValue(kind, fields), nil
	case tftypes.Map:
		given, ok := plain.(object)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("%v is no map", plain)
		}
		fields := map[string]tftypes.Value{}
		for name, field := range given {
			value, err := valueOf(typed.ElementType, field)
			if err != nil {
				return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
			}
			fields[name] = value
		}
		return tftypes.NewValue(kind, fields), nil
	case tftypes.Set:
		items, err := itemsOf(typed.ElementType, plain)
		if err != nil {
			return tftypes.Value{}, err
		}
		return tftypes.NewValue(kind, items), nil
	case tftypes.List:
		items, err := itemsOf(typed.ElementType, plain)
		if err != nil {
			return tftypes.Value{}, err
		}
		return tftypes.NewValue(kind, items), nil
	}
	if err := tftypes.ValidateValue(kind, plain); err != nil {
		return tftypes.Value{}, err
	}
	return tftypes.NewValue(kind, plain), nil
}

func itemsOf(kind tftypes.Type, plain any) ([]tftypes.Value, error) {
	given, ok := plain.([]any)
	if !ok {
		return nil, fmt.Errorf("%v is no list", plain)
	}
	items := []tftypes.Value{}
	for _, item := range given {
		value, err := valueOf(kind, item)
		if err != nil {
			return nil, err
		}
		items = append(items, value)
	}
	return items, nil
}

// Refuses a configuration that does not have exactly one of these attributes. One that is not known yet may be null.
func checkOneOf(configuration tftypes.Value, names []string) error {
	if len(names) == 0 {
		return nil
	}
	var fields map[string]tftypes.Value
	if err := configuration.As(&fields); err != nil {
		return err
	}
	given, open := 0, 0
	for _, name := range names {
		if field := fields[name]; !field.IsKnown() {
			open++
		} else if !field.IsNull() {
			given++
		}
	}
	if given > 1 || given+open == 0 {
		return fmt.Errorf("give one of %s", strings.Join(names, " and "))
	}
	return nil
}

func text(from object, name string) string {
	found, _ := from[name].(string)
	return found
}

func list(from object, name string) []object {
	var found []object
	items, _ := from[name].([]any)
	for _, item := range items {
		if one, ok := item.(object); ok {
			found = append(found, one)
		}
	}
	return found
}

// The first item whose field has this value.
func find(items []object, name, value string) object {
	for _, item := range items {
		if text(item, name) == value {
			return item
		}
	}
	return nil
}

// A copy with further values; those that are nil are left out.
func with(base, more object) object {
	all := object{}
	for name, value := range base {
		all[name] = value
	}
	for name, value := range more {
		if value == nil {
			delete(all, name)
		} else {
			all[name] = value
		}
	}
	return all
}

// Fields that have the same name here and there.
func same(names ...string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		all[name] = name
	}
	return all
}

// A flag that is off is absent if the state has none, because configurations may leave it out.
func flagNow(state object, name string, now any) any {
	if _, ok := state[name]; !ok && now != true {
		return nil
	}
	return now
}

// Only these fields, under their other names.
func pick(from object, names map[string]string) object {
	found := object{}
	for name, as := range names {
		if value, ok := from[name]; ok {
			found[as] = value
		}
	}
	return found
}
