package model

var Median = median
